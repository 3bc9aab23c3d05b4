// Starts one life of a tortured process, and waits for its end.
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job, Trace } from './job.ts'
import type { Lived } from './life.ts'

/** No life takes longer, however busy the machine. */
const MAX_LIFE_MS = 180_000
const NURSE = join(import.meta.dirname, 'nurse.ts')
/** The same few hundred modules are compiled thousands of times otherwise. */
/** From the sources: no stale build is tortured. */
const NODE_OPTIONS = ['--conditions=@avocet/source', '--disable-warning=ExperimentalWarning']
const ENVIRONMENT = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'avocet-torture-cache'), NO_COLOR: '1' }

/** How it ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
  /** Absent when the process ended before it could leave one. */
  readonly trace?: Trace
}

/** Lives `job` out. */
export async function live(job: Job): Promise<Ended> {
  const jobPath = join(job.folder, `${job.life}.job.json`)
  writeFileSync(jobPath, JSON.stringify(job))
  const child = spawn(process.execPath, [...NODE_OPTIONS, NURSE, jobPath], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: ENVIRONMENT,
    timeout: MAX_LIFE_MS,
    killSignal: 'SIGTERM',
  })
  let stderr = ''
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const tracePath = join(job.folder, `${job.life}.trace.json`)
  const trace = existsSync(tracePath) ? (JSON.parse(readFileSync(tracePath, 'utf8')) as Trace) : undefined
  return { code, signal, stderr, ...(trace && { trace }) }
}

/** Lives that one process serves for: what was cut is never let go of. */
const LIVES = 60

/** A process for many lives, begun anew from time to time. */
export class Nurse {
  #child: ChildProcess | undefined
  #lives = 0

  /** Lives `job` out; SIGKILL stands for a life that was cut. */
  async live(job: Job): Promise<Ended> {
    if (this.#lives++ % LIVES === 0) this.close()
    this.#child ??= fork(NURSE, {
      execArgv: NODE_OPTIONS,
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const child = this.#child
    const gone = new AbortController()
    const { signal } = gone
    const late = setTimeout(() => child.kill('SIGKILL'), MAX_LIFE_MS)
    child.send(job)
    try {
      const [said] = (await Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })])) as [
        Lived | number | null,
      ]
      if (said === null || typeof said === 'number') {
        this.#child = undefined
        return { code: said, signal: 'SIGTERM', stderr: 'the process of this life ended, or took too long' }
      }
      return { code: said.code, signal: said.code === null ? 'SIGKILL' : null, stderr: said.error, trace: said.trace }
    } finally {
      clearTimeout(late)
      gone.abort()
    }
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}
