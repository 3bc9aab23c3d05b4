// New links of one page, in their order, and how many of them may be added: those that the store knows count against no budget.
//
// While all of them fit, known or not, the store is not asked: the commit finds out which are new. Where there are more than fit, the store is asked
// which of them it knows, a thousand at a time, and unknown links beyond the budget are refused. Of those beyond it, the first thousand are checked.
import type { Link, LinkOptions } from '../ports/link.ts'
import type { Fingerprint, NewRequest, Request } from '../ports/request.ts'
import type { Run } from '../run/run.ts'
import { shown } from '../values/shown.ts'

/** Links that the store is asked about at once, and links of one page beyond its budget that are checked. */
const BATCH = 1_000

/** A link that may be new. */
export interface NewLink {
  readonly request: NewRequest
  /** What it is remembered by when it is in the store. */
  readonly pair: string | undefined
}

/** Takes them in. */
export class NewLinks {
  readonly #mayAdd: () => number
  #links: NewLink[] = []
  /** So many of the first are not in the store. */
  #sure = 0
  readonly #knownPairs: string[] = []
  /** Those of the known that are to be visited again. */
  readonly #again: NewRequest[] = []
  /** So many are beyond the budget that links behind them are passed over. */
  #isFull = false
  #passedOver = 0

  /** `mayAdd`: how many may be added, at this moment. */
  constructor(mayAdd: () => number) {
    this.#mayAdd = mayAdd
  }

  /** So many are surely or maybe beyond the budget. */
  get beyond(): number {
    return Math.max(0, this.#links.length - this.#mayAdd())
  }

  /** Whether a link is left out, and counted: far beyond the budget nobody needs to know where it leads, unless it may be a known one to visit again. */
  passesOver(again: boolean | undefined): boolean {
    if (!this.#isFull || again === true) return false
    this.#passedOver++
    return true
  }

  /** Takes a link; says whether enough are beyond the budget to find out which of them are new. */
  take(link: NewLink): boolean {
    this.#links.push(link)
    return this.beyond >= BATCH
  }

  /** Yields those that may be known, some at a time, and receives those of them that the store knows. */
  *asking(): Generator<readonly NewRequest[], void, ReadonlySet<Fingerprint> | undefined> {
    while (this.#sure < this.#links.length) {
      const some = this.#links.slice(this.#sure, this.#sure + BATCH)
      const known = (yield some.map(({ request }) => request)) ?? new Set()
      const unknown = some.filter(({ request }) => !known.has(request.fingerprint))
      for (const { request, pair } of some) {
        if (!known.has(request.fingerprint)) continue
        if (pair !== undefined) this.#knownPairs.push(pair)
        if (request.again !== undefined) this.#again.push(request)
      }
      this.#links = [...this.#links.slice(0, this.#sure), ...unknown, ...this.#links.slice(this.#sure + some.length)]
      this.#sure += unknown.length
    }
    this.#isFull = this.beyond > 0
  }

  /** What is taken in, and how many are beyond the budget. */
  end(): { readonly requests: readonly NewRequest[]; readonly pairs: readonly string[]; readonly overBudget: number } {
    const taken = this.#links.slice(0, this.#mayAdd())
    const beyond = this.#links.length - taken.length
    return {
      requests: [...taken.map(({ request }) => request), ...this.#again],
      pairs: [...this.#knownPairs, ...taken.flatMap(({ pair }) => pair ?? [])],
      overBudget: beyond === 0 ? 0 : beyond + this.#passedOver,
    }
  }
}

/** Those of `fingerprints` that the store has. */
export async function knownOf(
  fingerprints: readonly Fingerprint[],
  { settings, calls, fail }: Pick<Run, 'settings' | 'calls' | 'fail'>,
): Promise<ReadonlySet<Fingerprint>> {
  try {
    return new Set(await calls.make('known URLs', () => settings.frontier.known(fingerprints)))
  } catch (error) {
    fail(error)
    return new Set()
  }
}

/** What the report says of a link of `request` to `text`. */
export function noUrl(text: string, { handler, url }: Request): string {
  return `handler ${handler} yielded link(${shown(text)}), which is no URL: it is not followed (${url})`
}

/** The session that a link of the page of `request` leads to; undefined for that of its host. */
export function inSession({ options: { session } }: Link, request: Request): string | undefined {
  return session === undefined ? request.session : session || undefined
}

/** What a link wants, with the session of its page where it names none. */
export function inherited({ options }: Link, { session }: Request): LinkOptions {
  return session === undefined || options.session !== undefined ? options : { ...options, session }
}
