// When a process that died is restarted: at once, then after growing pauses while it keeps dying, and after ten deaths in a row no more.

/** A process that lived for so long has recovered: its next death is the first in a row. */
const WELL_AFTER_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** In a row. The pauses between them take two minutes. */
const MAX_DEATHS = 10

/** The deaths of one of the processes. */
export class RestartLaw {
  #inARow = 0

  /** It has died after `livedMs`. Returns the pause before its restart, in ms; undefined: it is not restarted. */
  died(livedMs: number): number | undefined {
    this.#inARow = livedMs >= WELL_AFTER_MS ? 1 : this.#inARow + 1
    if (this.#inARow >= MAX_DEATHS) return undefined
    return this.#inARow === 1 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#inARow - 2))
  }

  /** How often in a row. */
  get deaths(): number {
    return this.#inARow
  }
}
