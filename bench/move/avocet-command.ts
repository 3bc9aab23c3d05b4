// Commands as their users run them: processes of their own, timed as a whole.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/avocet.js', import.meta.url))

/** Commands of one folder. */
export class AvocetCommand {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Seconds that a command takes. Throws what it says where it fails. */
  async took(...words: readonly string[]): Promise<number> {
    const start = performance.now()
    await this.said(...words)
    return (performance.now() - start) / 1_000
  }

  /** What a command prints. Throws what it says where it fails. */
  async said(...words: readonly string[]): Promise<string> {
    return (await promisify(execFile)(process.execPath, [BIN, ...words], { cwd: this.#folder, maxBuffer: 2 ** 30 })).stdout
  }

  /** Seconds by which a command takes longer than another one, and seconds that it takes: medians of `times` of each, in turn. */
  async longerThan(
    start: readonly string[],
    words: readonly string[],
    times: number,
  ): Promise<{ readonly seconds: number; readonly above: number }> {
    const [starts, all]: [number[], number[]] = [[], []]
    for (let n = 0; n < times; n++) {
      starts.push(await this.took(...start))
      all.push(await this.took(...words))
    }
    return { seconds: medianOf(all), above: medianOf(all) - medianOf(starts) }
  }

  /** A command that goes on. What it says on stderr is said here. */
  started(...words: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [BIN, ...words], { cwd: this.#folder, stdio: ['ignore', 'ignore', 'inherit'] })
    // Without its server it would wait for ten minutes.
    const kill = (): unknown => child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', () => process.off('exit', kill))
    return child
  }
}

/** The middle one; the higher of two. */
export function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN
}
