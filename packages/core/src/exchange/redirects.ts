// From a redirect to what comes of it: the same request again, spelled otherwise, or after a detour; or a turn, in which the request settles as moved and its target is a
// discovery like any other.
import type { Leased } from '../request.ts'
import type { Response } from '../response.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import type { ExchangeRun } from './exchange-run.ts'
import type { Headers } from './headers.ts'
import { fetchedOf, reasonOf } from './outcome.ts'
import { readRedirect } from './redirect.ts'
import { SeedRedirects } from './seed-redirects.ts'
import type { Settings } from '../run/settings.ts'
import { SpellingChains } from './spelling-chains.ts'
import type { Tally } from '../run/tally.ts'
import { bareTurn, type TurnDraft } from '../store/turn-draft.ts'

/** What comes of a redirect. */
export type Redirected = { readonly kind: 'again'; readonly leased: Leased } | { readonly kind: 'turn'; readonly turn: TurnDraft }

/** What redirects need of the run around them. */
export interface RedirectsParts {
  readonly discoveries: Discoveries
  readonly headers: Headers
  readonly tally: Tally
  readonly settings: Pick<Settings, 'secrets'>
}

/** Follows the redirects of a run. */
export class Redirects {
  readonly #chains = new SpellingChains()
  readonly #seeds = new SeedRedirects()
  readonly #parts: RedirectsParts

  constructor(parts: RedirectsParts) {
    this.#parts = parts
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
    const { discoveries, headers, tally, settings } = this.#parts
    if (response.detour !== undefined) {
      if (response.detour.told !== undefined) tally.problem(response.detour.told)
      return { kind: 'again', leased }
    }
    const redirect = readRedirect(leased, response, this.#chains.of(leased))
    if (redirect.kind === 'again') return { kind: 'again', leased: this.#chains.follow(leased, redirect.url) }
    const fetched = fetchedOf(run, now, response)
    if (redirect.kind === 'failed') {
      const failure = settings.secrets.inFailure(redirect.failure)
      const outcome = { kind: 'failed', reason: reasonOf(failure.code), failure, fetched } as const
      return { kind: 'turn', turn: bareTurn(run.host, run.request, outcome) }
    }
    const target = redirect.url
    const { request, refusal, isElsewhere } = discoveries.ofRedirect(target, redirect.leased, run.request)
    if (isElsewhere || (refusal !== undefined && leased.depth === 0)) tally.problem(this.#seeds.message(leased, target, refusal))
    else if (leased.depth === 0 && headers.isBoundTo(leased.url) && !headers.isBoundTo(target))
      tally.problem(this.#seeds.lostHeaders(leased, target))
    const moved = bareTurn(run.host, run.request, { kind: 'moved', target, fetched })
    return { kind: 'turn', turn: { ...moved, offered: 1, ...(request ? { links: [request] } : { refusedLinks: 1 }) } }
  }
}
