// What one run knows of the search for a secret parameter of an origin: which pages were asked, which are asked again and when, and when it gives up. Pure.
//
// Five pages at most are asked, and each until it has answered. A page that is in trouble waits for a minute, then for twice as long each time, and is
// spent after five times; where nothing reached it the host is down, and that is no word about the page: it waits, and is not counted.
// A plugin that throws is trouble of the same kind; one that puts a page off is obeyed, at least for one second, two, four and so on up to ten. Meanwhile the
// requests that need it wait, too, and others may have another page asked. So what a site in trouble is asked does not grow with what waits.
import type { DetourTo } from '../secrets/secret-fetcher.ts'
import { OTHERS_FIRST_MS } from './asked-in-vain.ts'

/** Pages that are asked in a run. */
const MAX_ASKED = 5
/** Pages that are remembered: asked, waiting, or such as may not be asked. */
const MAX_PAGES = 20
/** As often is a page asked that is in trouble. */
const MAX_TROUBLES = 5
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 3_600_000
/** Put off, a page waits so long at least, and twice as long each time. */
const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 10_000

/** A page that is to be asked, at a moment. */
interface Waiting {
  readonly to: DetourTo
  /** Epoch ms. */
  readonly until: number
  /** Times in trouble, and how many of them count. */
  readonly waits: number
  readonly troubles: number
  /** Times put off. */
  readonly delays: number
}

/** Trouble of a page. */
export interface Struggle {
  /** As a sentence. */
  readonly why: string
  /** Whether it says something of the page: where nothing reached it, its host may be down. */
  readonly counts: boolean
  /** Epoch ms. */
  readonly now: number
}

/** One search. */
export class SecretSearch {
  isUnderWay = false
  /** Epoch ms. */
  readonly startedAt: number
  /** When a page was last spent, epoch ms. */
  #spentAt = 0
  readonly #asked = new Set<string>()
  /** What became of the pages that are not asked any more, in words. */
  readonly #spent = new Map<string, string>()
  readonly #waiting = new Map<string, Waiting>()

  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  /** URLs of the pages that are not asked any more. */
  get spent(): readonly string[] {
    return [...this.#spent.keys()]
  }

  /** Whether a page that nobody has asked yet may be looked for. */
  get isOpen(): boolean {
    return this.#asked.size < MAX_ASKED && this.#spent.size + this.#waiting.size < MAX_PAGES
  }

  /** What was done, as the end of a sentence; undefined: nothing. */
  get tried(): string | undefined {
    return this.#spent.size === 0 ? undefined : `; ${[...this.#spent].map(([url, end]) => `${url} ${end}`).join(', ')}`
  }

  /** Until when (epoch ms) a request is not refused whose own pages were asked in vain: another may lead to a page that gives the value. */
  get othersUntil(): number {
    return this.isOpen ? this.#spentAt + OTHERS_FIRST_MS : 0
  }

  /** The first of the pages that wait. */
  next(): { readonly to: DetourTo; readonly until: number } | undefined {
    let first: Waiting | undefined
    for (const each of this.#waiting.values()) {
      const mayBeAsked = this.#asked.size < MAX_ASKED || this.#asked.has(each.to.url)
      if (mayBeAsked && each.until < (first?.until ?? Infinity)) first = each
    }
    return first
  }

  isSpent(url: string): boolean {
    return this.#spent.has(url)
  }

  /** Epoch ms before which a page is not asked; 0 where nothing was said of it. */
  waitsUntil(url: string): number {
    return this.#waiting.get(url)?.until ?? 0
  }

  /** It was sent a request. */
  asked(url: string): void {
    this.#asked.add(url)
  }

  /** It is not asked any more. */
  spend(url: string, end: string, now: number): void {
    this.#spentAt = now
    this.#waiting.delete(url)
    this.#spent.set(url, end)
  }

  /** It is asked at `until`, unless it is spent. Returns that moment. */
  wait(to: DetourTo, until: number): number {
    const { waits = 0, troubles = 0, delays = 0 } = this.#waiting.get(to.url) ?? {}
    if (!this.isSpent(to.url)) this.#waiting.set(to.url, { to, until, waits, troubles, delays })
    return until
  }

  /** A plugin puts it off until `at`. All that waits for it wakes at the moment that is returned (epoch ms): the oftener it is put off the later. */
  putOff(to: DetourTo, { at, now }: { readonly at: number; readonly now: number }): number {
    const { waits = 0, troubles = 0, delays = 0 } = this.#waiting.get(to.url) ?? {}
    const until = Math.max(at, now + Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** delays))
    this.#waiting.set(to.url, { to, until, waits, troubles, delays: delays + 1 })
    return until
  }

  /** It is in trouble. Returns the moment (epoch ms) at which what waits for it is to look again. */
  struggled(to: DetourTo, { why, counts, now }: Struggle): number {
    const { waits = 0, troubles: before = 0, delays = 0 } = this.#waiting.get(to.url) ?? {}
    const troubles = before + (counts ? 1 : 0)
    if (troubles >= MAX_TROUBLES) {
      this.spend(to.url, `was tried ${MAX_TROUBLES} times, and the last time ${why}`, now)
      return now
    }
    const until = now + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits)
    this.#waiting.set(to.url, { to, until, waits: waits + 1, troubles, delays })
    return until
  }
}
