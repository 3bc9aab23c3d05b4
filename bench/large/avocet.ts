// Runs the command as it is published, in a process of its own, beside a server that answers for all of 127.0.0.0/8.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { publishedTree } from '../../scripts/published.ts'

const TREE = await publishedTree('avocet-large')
const BLOCKS = new URL('./blocks.ts', import.meta.url).href
/** The same for all runs of the bench, so that a resumed crawl meets its hosts again. */
export const PORT = await freePort()

/** What a process took; NaN where it was killed. */
export interface Figures {
  readonly blockMs: number
  readonly peakMb: number
  readonly ms: number
}

/** Begins `avocet WORDS`; `input`: its standard input. */
export function begin(
  words: readonly string[],
  folder: string,
  { env = {}, input = '' }: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): { readonly child: ChildProcess; readonly ended: Promise<Figures> } {
  const path = join(folder, 'figures.json')
  rmSync(path, { force: true })
  const modules = join(folder, 'node_modules')
  if (!existsSync(modules)) symlinkSync(join(TREE, 'node_modules'), modules)
  const child = fork(join(TREE, 'packages/cli/bin/avocet.js'), words, {
    cwd: folder,
    execArgv: ['--import', BLOCKS],
    env: { ...process.env, ...env, LARGE_FIGURES: path },
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
  child.stdin?.end(input)
  const ended = new Promise<Figures>((resolve) => {
    child.once('exit', (_, signal) => {
      resolve(signal === null ? (JSON.parse(readFileSync(path, 'utf8')) as Figures) : { blockMs: NaN, peakMb: NaN, ms: NaN })
    })
  })
  return { child, ended }
}

/** Serves while `work` runs. */
export async function served<Result>(answer: RequestListener, work: () => Promise<Result>): Promise<Result> {
  const server = createServer(answer).listen(PORT, '0.0.0.0')
  await once(server, 'listening')
  try {
    return await work()
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await server[Symbol.asyncDispose]()
  return port
}
