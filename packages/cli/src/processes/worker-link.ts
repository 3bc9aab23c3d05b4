// The supervisor's link to a worker: starts it, sends and receives messages, and notices its exit.
import { fork } from 'node:child_process'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { FromWorker, ToWorker } from './process-messages.ts'

/** A process. */
export interface WorkerLink {
  /** A message to a process that has exited is lost. */
  send(message: ToWorker): void
  /** With SIGKILL. */
  kill(): void
}

/** Events of a process. */
interface WorkerEvents {
  heard(message: FromWorker): void
  /** It wrote a line to standard error. */
  said(line: string): void
  /** Called once, after it has exited and its last message was received. `how`: `SIGKILL`, `exit code 1`. */
  gone(how: string): void
}

/** Starts a process. */
export type StartProcess = (events: WorkerEvents) => WorkerLink

/** Longer lines are cut: a process may write anything. */
const MAX_LINE = 2_000

/** What it is to run with. */
export interface Launching {
  /** The module, without its ending: beside the one that asks, which may be a source or built. */
  readonly entry: URL
  /** As the command was typed: shown by `ps`. */
  readonly words: readonly string[]
  /** Absolute. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Written to its standard input. Absent: it has none. */
  readonly input?: string
}

/** Starts processes with the same Node. When this one exits, they stop after their last commits. */
export function launching({ entry, words, folder, env, input }: Launching): StartProcess {
  const path = fileURLToPath(entry) + extname(import.meta.url)
  return ({ heard, said, gone }) => {
    const child = fork(path, [...words], {
      cwd: folder,
      env,
      execArgv: process.execArgv,
      serialization: 'advanced',
      stdio: [input === undefined ? 'ignore' : 'pipe', 'inherit', 'pipe', 'ipc'],
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    child.on('message', (message) => heard(message as FromWorker))
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => said(line.slice(0, MAX_LINE)))
    let how: string | undefined
    let isOpen = true
    const left = (): void => {
      if (how !== undefined && !isOpen) gone(how)
    }
    child.once('exit', (code, signal) => {
      how = signal ?? `exit code ${code ?? 'unknown'}`
      left()
    })
    child.once('disconnect', () => {
      isOpen = false
      left()
    })
    // It could not be started: there is neither a channel nor an exit.
    child.once('error', (error) => {
      if (child.pid !== undefined) return
      how = error.message
      isOpen = false
      left()
    })
    return {
      send(message) {
        if (child.connected) child.send(message, () => undefined)
      },
      kill() {
        child.kill('SIGKILL')
      },
    }
  }
}
