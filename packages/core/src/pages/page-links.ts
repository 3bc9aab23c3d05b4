// What the links of a page lead to: requests, as far as the budgets allow. In this tick while the event loop has room, else in steps.
import type { LinkBudgets } from '../discovery/link-budgets.ts'
import { LINKS_A_STEP, type Discovered, type Discoveries } from '../discovery/discovery.ts'
import { messageOf } from '../values/errors.ts'
import type { PageExchange } from '../hosts/live-host.ts'
import { failure, type Failure } from '../ports/failure.ts'
import type { Leased } from '../ports/request.ts'
import type { Link } from '../ports/link.ts'
import type { Page } from '../ports/page.ts'
import { COST } from '../process/loop-budget.ts'
import type { Run } from '../run/run.ts'
import { listedLeft } from '../ports/discovery-limits.ts'

/** The links of a page, and where they come from. */
export interface LinkedPage {
  readonly exchange: PageExchange
  readonly leased: Leased
  readonly page: Page
  readonly links: readonly Link[]
  /** It is a document of a plugin, which lists pages. */
  readonly isListing: boolean
}

/** What decides which links are followed. */
export interface LinkParts {
  readonly discoveries: Discoveries
  readonly budgets: LinkBudgets
}

/** Links that became requests, and those that did not. */
export type FoundLinks = { readonly kind: 'found' } & Discovered
/** What became of the links. */
type Found = FoundLinks | { readonly kind: 'failed'; readonly failure: Failure }
type Discovering = Generator<undefined, Found>

/** What the links lead to: now, or once the event loop has room. */
export function linksFound(from: LinkedPage, run: Run, parts: LinkParts): Found | Promise<Found> {
  const { codec } = run.settings
  if (from.links.some(({ options }) => codec.isMissingFor(options))) return codec.load().then(() => linksFound(from, run, parts))
  const reading = from.links.length > 0 ? parts.discoveries.listed?.read() : undefined
  if (reading !== undefined) return reading.then(() => linksFound(from, run, parts))
  const steps = discovering(from, run, parts)
  let step = steps.next()
  while (step.done !== true && run.settings.loop.take(LINKS_A_STEP * COST.link)) step = steps.next()
  return step.done === true ? step.value : inTurns(steps, run.settings, from.exchange.request.url)
}

async function inTurns(steps: Discovering, { clock, loop }: Run['settings'], url: string): Promise<Found> {
  for (;;) {
    using _hold = clock.hold(`links of ${url}`)
    await loop.room(LINKS_A_STEP * COST.link)
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** What a handler puts into a link is the user's, and may be anything: data with a cycle, a text that is none. */
function* discovering(from: LinkedPage, { settings }: Run, { discoveries, budgets }: LinkParts): Discovering {
  const { exchange, leased, page, links, isListing } = from
  const { request, host } = exchange
  // What is beyond the limit of a document is left out and counted.
  const gate = isListing
    ? { mayAdd: () => listedLeft(host.core.gave ?? {}, settings.discoveryLimits), refusal: () => undefined }
    : { mayAdd: () => budgets.mayAdd(host), refusal: (hostKey: string) => budgets.refusal(host, hostKey) }
  try {
    const baseUrl = links.length > 0 ? page.baseUrl : request.url
    return { kind: 'found', ...(yield* discoveries.inSteps(links, { leased, request, gate, baseUrl })) }
  } catch (error) {
    const message = `expected handler ${request.handler} to yield links of plain data, got one that cannot be written down (${messageOf(error)})`
    return {
      kind: 'failed',
      failure: failure('AVO_HANDLER_LINK_INVALID', message, { phase: 'handler', sent: true, cause: error }),
    }
  }
}
