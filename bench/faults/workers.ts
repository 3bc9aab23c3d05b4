// The processes of a run: `avocet crawl` itself, from the sources, which the harness kills, stops, and starts again.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const AVOCET = join(ROOT, 'packages/cli/bin/avocet.js')
const HERE = import.meta.dirname

/** What all processes of a run are given. */
export interface WorkersPlan {
  readonly seeds: readonly string[]
  readonly store: string
  readonly folder: string
  readonly scale: number
  readonly delayMs: number
  /** Of each process: its machine, and how far that one's wall clock is ahead. */
  readonly machines: readonly { readonly boot: string; readonly clockMs: number }[]
}

/** A process that has ended. */
export interface Ended {
  readonly agent: string
  /** Null: by a signal. */
  readonly code: number | null
  /** Epoch ms. */
  readonly at: number
  /** The end of what it said. */
  readonly said: string
}

interface Running {
  readonly agent: string
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** Some processes, one in each place. */
export class Workers {
  readonly #plan: WorkersPlan
  readonly #running: (Running | undefined)[]
  readonly #ended: Ended[] = []
  readonly #lives: number[]

  constructor(plan: WorkersPlan) {
    this.#plan = plan
    this.#running = plan.machines.map(() => undefined)
    this.#lives = plan.machines.map(() => 0)
  }

  /** Those that ended, in that order. */
  get ended(): readonly Ended[] {
    return this.#ended
  }

  /** Starts a process at a place where none is. */
  start(place: number): void {
    if (this.isRunning(place)) return
    const life = (this.#lives[place] = (this.#lives[place] ?? 0) + 1)
    const agent = `faults/P${String(place + 1)}.${String(life)}`
    const log = join(this.#plan.folder, `P${String(place + 1)}.${String(life)}.txt`)
    const child = this.#spawned(place, agent, log)
    const ended = new Promise<Ended>((resolve) => {
      child.once('exit', (code) => {
        const end = { agent, code, at: Date.now(), said: readFileSync(log, 'utf8').trim().split('\n').slice(-6).join(' / ') }
        this.#ended.push(end)
        if (this.#running[place]?.child === child) this.#running[place] = undefined
        resolve(end)
      })
    })
    this.#running[place] = { agent, child, ended }
  }

  isRunning(place: number): boolean {
    return this.#running[place] !== undefined
  }

  /** Nobody runs. */
  get areOver(): boolean {
    return this.#first() === undefined
  }

  /** What the process at a place calls itself; undefined where there is none. */
  agentAt(place: number): string | undefined {
    return this.#running[place]?.agent
  }

  /** SIGKILL and SIGSTOP are obeyed at once. Waits for the end of one that is killed. */
  async signal(place: number, signal: NodeJS.Signals): Promise<void> {
    const running = this.#running[place]
    running?.child.kill(signal)
    if (signal === 'SIGKILL') await running?.ended
  }

  /** When all have ended. */
  async allEnded(): Promise<void> {
    for (let running = this.#first(); running !== undefined; running = this.#first()) await running.ended
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#running.map((_, place) => this.signal(place, 'SIGKILL')))
  }

  #first(): Running | undefined {
    return this.#running.find((running) => running !== undefined)
  }

  #spawned(place: number, agent: string, log: string): ChildProcess {
    const { seeds, store, folder, scale, delayMs, machines } = this.#plan
    const { boot = '', clockMs = 0 } = machines[place] ?? {}
    const words = ['crawl', join(HERE, 'crawled/spider.ts'), '--config', join(HERE, 'crawled/avocet.config.ts')]
    const options = ['-a', `seeds=${seeds.join(',')}`, '--store', store, '--concurrency', '8']
    const flags = ['--conditions=@avocet/source', '--disable-warning=ExperimentalWarning', '--import', join(HERE, 'machine.ts')]
    const file = openSync(log, 'w')
    const child = spawn(process.execPath, [...flags, AVOCET, ...words, ...options], {
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: join(tmpdir(), 'avocet-torture-cache'),
        NO_COLOR: '1',
        FAULTS_AGENT: agent,
        FAULTS_ITEMS: join(folder, 'items.jsonl'),
        FAULTS_DELAY_MS: String(delayMs),
        FAULTS_SCALE: String(scale),
        FAULTS_BOOT: boot,
        FAULTS_CLOCK_MS: String(clockMs),
      },
      stdio: ['ignore', file, file],
    })
    closeSync(file)
    return child
  }
}
