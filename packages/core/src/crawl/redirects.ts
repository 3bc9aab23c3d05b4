// From a redirect to what comes of it: the same request again, spelled otherwise; or a turn, in which the request settles as moved and its target is a
// discovery like any other.
import type { Leased } from '../request.ts'
import type { Response } from '../response.ts'
import type { Discoveries } from './discovery.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { fetchedOf, reasonOf } from './outcome.ts'
import { readRedirect } from './redirect.ts'
import { SeedRedirects } from './seed-redirects.ts'
import { SpellingChains } from './spelling-chains.ts'
import type { Tally } from './tally.ts'
import { bareTurn, type TurnDraft } from './turn-draft.ts'

/** What comes of a redirect. */
export type Redirected = { readonly kind: 'again'; readonly leased: Leased } | { readonly kind: 'turn'; readonly turn: TurnDraft }

/** Follows the redirects of a run. */
export class Redirects {
  readonly #chains = new SpellingChains()
  readonly #seeds = new SeedRedirects()
  readonly #discoveries: Discoveries
  readonly #tally: Tally

  constructor(discoveries: Discoveries, tally: Tally) {
    this.#discoveries = discoveries
    this.#tally = tally
  }

  /** A request as the frontier hands it out, with the spelling that it has come to. */
  inPlace(leased: Leased): Leased {
    return this.#chains.inPlace(leased)
  }

  /** A request is settled. */
  forget(requestId: number): void {
    this.#chains.forget(requestId)
  }

  follow(run: ExchangeRun, leased: Leased, { response, now }: { response: Response; now: number }): Redirected {
    const redirect = readRedirect(leased, response, this.#chains.of(leased))
    if (redirect.kind === 'again') return { kind: 'again', leased: this.#chains.follow(leased, redirect.url) }
    const fetched = fetchedOf(run, now, response)
    if (redirect.kind === 'failed') {
      const { failure } = redirect
      const outcome = { kind: 'failed', reason: reasonOf(failure.code), failure, fetched } as const
      return { kind: 'turn', turn: bareTurn(run.host, run.request, outcome) }
    }
    const target = redirect.url
    const { request, refusal, isElsewhere } = this.#discoveries.ofRedirect(target, redirect.leased, run.request)
    if (isElsewhere || (refusal !== undefined && leased.depth === 0))
      this.#tally.problem(this.#seeds.message(leased, target, refusal))
    const moved = bareTurn(run.host, run.request, { kind: 'moved', target, fetched })
    return { kind: 'turn', turn: { ...moved, offered: 1, ...(request ? { links: [request] } : { refusedLinks: 1 }) } }
  }
}
