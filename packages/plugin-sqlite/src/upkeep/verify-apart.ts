// Verifies a file in a thread of its own: SQLite checks a large one for minutes in a single call, and a signal is heard meanwhile.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AvocetError } from '@avocet/core'
import type { StoreVerdict } from '../verify/verify-store.ts'
import type { ThreadVerdict } from './verify-thread.ts'

/** Beside this one, which may be a source or built. */
const PROGRAM = new URL(`verify-thread${extname(import.meta.url)}`, import.meta.url)

/** The same as `verifyStore`, with the same errors. */
export async function verifyApart(path: string): Promise<StoreVerdict> {
  // Of what Node was told only where packages are: a program that was typed (`-e`) has words that a thread refuses.
  const execArgv = process.execArgv.filter((word) => word.startsWith('--conditions='))
  const said = await new Promise<ThreadVerdict>((done, failed) => {
    new Worker(PROGRAM, { workerData: path, execArgv })
      .once('message', done)
      .once('error', failed)
      .once('exit', () => failed(new AvocetError('AVO_INTERNAL', `expected a verdict on ${path}, got none`)))
  })
  if (said.kind === 'verdict') return said.verdict
  throw said.code === undefined ? new Error(said.message) : new AvocetError(said.code, said.message)
}
