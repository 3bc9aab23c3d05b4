// How long hosts rest for a browser that breaks down or does not start, and when it is in vain to wait for it.
//
// A browser is ours: what is wrong with it is no reason to fail a page. While it is replaced, as by an upgrade, or lacks memory, every page that it is to
// render fails alike, so a crawl that settled them would lose its whole queue in minutes. A host rests for as long as the trouble has lasted: a crash costs it
// 2 s, and a browser that is not there for hours costs it one document a minute.
import { formatDuration } from '../values/duration-text.ts'

const SHORTEST_REST_MS = 2_000
const LONGEST_REST_MS = 60_000

/** Watches over the browser of a crawl. */
export class BrowserGuard {
  /** Epoch ms of the first page that was lost since one was rendered. */
  #troubledSince: number | undefined
  /** Epoch ms since when nothing ends but pages for which no browser starts. */
  #missingSince: number | undefined

  /** A rendered page is there. */
  works(): void {
    this.#troubledSince = undefined
  }

  /** An exchange ended that was not lost to the browser. */
  counted(): void {
    this.#missingSince = undefined
  }

  /** A page was lost: it crashed, or (`isMissing`) none starts. Returns until when (epoch ms) its host rests. */
  lost(now: number, isMissing: boolean): number {
    this.#troubledSince ??= now
    if (isMissing) this.#missingSince ??= now
    return now + Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, now - this.#troubledSince))
  }

  /** Why it is in vain to wait for it, once the patience of the crawl is over; undefined: it is not. */
  hopelessAt(now: number, patienceMs: number): string | undefined {
    const missingMs = now - (this.#missingSince ?? Infinity)
    if (missingMs < patienceMs) return undefined
    return `all that is left waits for a browser, and none has started for ${formatDuration(missingMs)}; install one, or correct executablePath`
  }
}
