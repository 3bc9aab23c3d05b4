// What a soak found wrong, gathered: a thousand pages lost in one way are one finding with a count and its first examples.
/** One way in which something was wrong. */
export interface Finding {
  /** The promise that was broken: `late`, `lost`, `asked too often`, … */
  readonly check: string
  /** In what circumstances, such as `after outage hang`. */
  readonly about: string
  readonly count: number
  /** The first few, in words. */
  readonly examples: readonly string[]
}

const MOST_EXAMPLES = 3

/** Gathers findings. */
export class Findings {
  readonly #found = new Map<string, { check: string; about: string; count: number; examples: string[] }>()

  add(check: string, about: string, example: string): void {
    const key = `${check}|${about}`
    const found = this.#found.get(key) ?? { check, about, count: 0, examples: [] }
    found.count++
    if (found.examples.length < MOST_EXAMPLES) found.examples.push(example)
    this.#found.set(key, found)
  }

  /** Most frequent first. */
  get all(): readonly Finding[] {
    return [...this.#found.values()].sort((a, b) => b.count - a.count)
  }
}

/** Ms since the beginning as days, hours, minutes and seconds: `3d 04:10:00`. */
export function momentOf(ms: number): string {
  if (!(ms >= 0 && ms < Infinity)) return 'never'
  const seconds = Math.floor(ms / 1_000)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${String(Math.floor(seconds / 86_400))}d ${two((seconds / 3_600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`
}
