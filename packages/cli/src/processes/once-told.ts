// Removes duplicates where several processes report the same thing: each line is printed as often as the process printed it that did so most often.

/** Different lines that are remembered; the oldest is forgotten first. */
const MAX_LINES = 1_000

/** Parts in which processes that report the same thing differ: the time at the beginning, and durations. */
const VARYING = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC |\b\d+(?:[.,]\d+)? (?:ms|s|min|h)\b/g

interface Heard {
  told: number
  readonly by: Map<number, number>
}

/** Remembers what was told. */
export class OnceTold {
  readonly #lines = new Map<string, Heard>()

  /** Whether `line`, which `process` says, is to be told. */
  isNew(process: number, line: string): boolean {
    const key = line.replaceAll(VARYING, '#')
    const heard = this.#lines.get(key) ?? { told: 0, by: new Map<number, number>() }
    this.#lines.delete(key)
    this.#lines.set(key, heard)
    const [oldest = ''] = this.#lines.keys()
    if (this.#lines.size > MAX_LINES) this.#lines.delete(oldest)
    const times = (heard.by.get(process) ?? 0) + 1
    heard.by.set(process, times)
    if (times <= heard.told) return false
    heard.told = times
    return true
  }
}
