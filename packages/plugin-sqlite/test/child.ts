// Runs crawler.ts in a process of its own, from the sources.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What the crawler says. */
export interface Line {
  readonly what: 'open' | 'held' | 'committed' | 'gave' | 'end'
  readonly at: number
  readonly hostKey?: string
  readonly epoch?: number
  readonly turns?: number
}

/** A crawler that runs. */
export class Crawler {
  readonly process: ChildProcess
  readonly #exit: Promise<unknown>
  #said = ''
  #errors = ''

  constructor(path: string, { pages, hosts, work }: { pages: number; hosts: number; work: 'crawl' | 'pair' | 'hold' }) {
    const script = join(import.meta.dirname, 'crawler.ts')
    const words = [script, path, String(pages), String(hosts), work]
    this.process = spawn(process.execPath, ['--conditions=@avocet/source', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#exit = once(this.process, 'close')
    this.process.stdout?.on('data', (text: Buffer) => (this.#said += text.toString()))
    this.process.stderr?.on('data', (text: Buffer) => (this.#errors += text.toString()))
  }

  /** Complete lines so far. */
  get lines(): readonly Line[] {
    return this.#said
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
  }

  /** Waits until it has said `what` for the `times`th time. */
  async said(what: Line['what'], times = 1): Promise<void> {
    while (this.lines.filter((line) => line.what === what).length < times) {
      if (this.process.exitCode !== null) throw new Error(`the crawler ended with ${this.process.exitCode}: ${this.#errors}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  /** Waits until it is gone; throws when it failed by itself. */
  async gone(): Promise<void> {
    await this.#exit
    if (this.process.exitCode !== 0 && this.process.signalCode !== 'SIGKILL') throw new Error(this.#errors)
  }
}
