// From an answer that the spider wants to a turn: page, handler, items through `onItem`, links through `onDiscover`.
//
// Handlers run outside the slots: the host's exchange is over, its slot is free, and the next one is under way. What bounds them is their own
// number and the bytes of the pages they keep in RAM, which the byte budget counts; both gate dispatch, those that overran their time included.
import type { ByteBudget } from '../byte-budget.ts'
import type { Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'
import type { NewItem } from '../frontier.ts'
import { pageOf } from '../html/html-page.ts'
import { isTapped, type CrawlHooks } from '../hooks.ts'
import { leaveBehind } from '../large-garbage.ts'
import type { Page } from '../page.ts'
import type { Leased, Request } from '../request.ts'
import type { Response } from '../response.ts'
import type { Handler, Spider } from '../spider.ts'
import { OpenBallot } from './ballot.ts'
import type { Discovered, Discoveries } from './discovery.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { filterItems } from './item-filter.ts'
import { LargePages } from './large-pages.ts'
import { LateHandlers } from './late-handlers.ts'
import { runHandler, type HandlerLimits, type HandlerResult } from './handler-run.ts'
import { fetchedOf, reasonOf } from './outcome.ts'
import { isUnchanged, type Recrawl } from './recrawl.ts'
import type { Tally } from './tally.ts'
import { bareTurn, type TurnDraft } from './turn-draft.ts'

/** Bytes of a page in a handler per byte of its body: the body, and its text, which takes two bytes a character at worst. */
const BYTES_PER_BODY_BYTE = 3
/** The share of the byte budget that pages in handlers may hold before nothing more is asked for; the rest is for what is under way. */
const SHARE = 0.5

/** What pages need of the crawl around them. */
export interface PageWorld {
  readonly spider: Spider
  readonly hooks: CrawlHooks
  readonly clock: Clock
  readonly tally: Tally
  readonly discoveries: Discoveries
  readonly recrawl: Recrawl
  readonly limits: HandlerLimits
  readonly maxHandlers: number
  readonly bodyBudget: ByteBudget
  readonly html: 'parse5' | 'fast'
  /** Which pages are being worked on, in case one of them kills the process. */
  inHand(requestIds: readonly number[]): void
  turn(draft: TurnDraft): void
  /** A handler is done: there may be room for more. */
  room(): void
}

/** A page on its way through its handler. */
interface Visited {
  readonly run: ExchangeRun
  readonly leased: Leased
  readonly response: Response
  readonly page: Page
}

/** Runs handlers. */
export class Pages {
  running = 0
  /** Of pages in handlers that are in time. */
  #pageBytes = 0
  readonly #hand = new Set<number>()
  readonly #late: LateHandlers
  readonly #large: LargePages
  readonly #world: PageWorld

  constructor(world: PageWorld) {
    this.#world = world
    this.#large = new LargePages(world.clock)
    this.#late = new LateHandlers({ handlers: world.maxHandlers, budget: world.bodyBudget }, world.tally.problem)
  }

  /** Whether another page may be asked for. */
  get hasRoom(): boolean {
    const { maxHandlers, bodyBudget } = this.#world
    if (this.running + this.#late.count >= maxHandlers) return false
    return this.#pageBytes + this.#late.bytes < SHARE * bodyBudget.totalBytes
  }

  /** Runs the handler of a page. Its turn is added in this tick when nothing on the way is asynchronous and the page is not large. */
  visit(run: ExchangeRun, leased: Leased, response: Response): void {
    const { spider, clock, limits, html } = this.#world
    this.#pickUp(leased.id)
    if (response.leftOutFields !== undefined)
      this.#world.tally.problem(
        `${response.leftOutFields} Set-Cookie fields were left out, the first are kept (${run.request.url})`,
      )
    const page = pageOf({ request: run.request, response, html, fetchedAt: run.sentAt ?? run.admittedAt })
    const visited = { run, leased, response, page }
    const handler = handlerOf(spider, run.request, response)
    if (handler === undefined) return this.#fail(visited, unknownHandler(spider, leased.handler))
    const handle = (): HandlerResult | Promise<HandlerResult> => runHandler(handler, page, { clock, limits })
    const result = this.#large.isLarge(page) ? this.#large.read(page).then(handle) : handle()
    if (result instanceof Promise) this.#wait(visited, result, (handled) => this.#take(visited, handled))
    else this.#take(visited, result)
  }

  #take(visited: Visited, result: HandlerResult): void {
    const { hooks, clock, limits } = this.#world
    if (result.kind === 'failed') return this.#fail(visited, result.failure)
    const { links, items } = result
    if (items.length === 0 || !isTapped(hooks.onItem)) return this.#accept(visited, links, items)
    const filtered = filterItems(items, visited.run.request, { hooks, clock, timeoutMs: limits.timeoutMs })
    this.#wait(visited, filtered, (left) => {
      if (left.kind === 'failed') this.#fail(visited, left.failure)
      else this.#accept(visited, links, left.items)
    })
  }

  /** Waits for a handler, or for `onItem`: what bounds them is their number and the bytes that they keep. */
  #wait(visited: Visited, coming: Promise<HandlerResult>, then: (result: HandlerResult) => void): void {
    const { bodyBudget } = this.#world
    const bytes = BYTES_PER_BODY_BYTE * visited.response.body.byteLength
    this.running++
    this.#pageBytes += bytes
    bodyBudget.acquire(bytes)
    void coming.then((result) => {
      this.running--
      this.#pageBytes -= bytes
      if (result.kind === 'failed' && result.running) this.#late.add(bytes, result.running, () => this.#world.room())
      else {
        bodyBudget.release(bytes)
        leaveBehind(bytes)
      }
      then(result)
      this.#world.room()
    })
  }

  #accept(visited: Visited, links: HandlerLinks, items: readonly string[]): void {
    const { run, leased, response } = visited
    const { clock, recrawl } = this.#world
    const found = this.#discovered(visited, links)
    if ('code' in found) return this.#fail(visited, found)
    this.#layDown(leased.id)
    const now = clock.now()
    const fetched = fetchedOf(run, now, response)
    const again = recrawl.afterPage(run.request, response, { sentAt: fetched.at, now })
    const reason = isUnchanged(run.request, response.status) ? ({ reason: 'unchanged' } as const) : {}
    this.#world.turn({
      host: run.host,
      request: run.request,
      outcome: { kind: 'done', fetched, ...reason, ...(again && { again }) },
      links: found.requests,
      items: items.map((json): NewItem => ({ json })),
      offered: found.offered,
      refusedLinks: found.refused,
      pairs: found.pairs,
    })
  }

  /** What the links lead to. What a handler puts into a link is the user's, and may be anything: data with a cycle, a text that is none. */
  #discovered({ run, leased, page }: Visited, links: HandlerLinks): Discovered | Failure {
    const { request } = run
    try {
      return this.#world.discoveries.ofPage(links, { leased, request, baseUrl: links.length > 0 ? page.baseUrl : request.url })
    } catch (error) {
      const message = `expected handler ${request.handler} to yield links of plain data, got one that cannot be written down (${messageOf(error)})`
      return failure('AVO_HANDLER_YIELD_INVALID', message, { phase: 'handler', sent: true, cause: error })
    }
  }

  #pickUp(id: number): void {
    this.#hand.add(id)
    this.#world.inHand([...this.#hand])
  }

  #layDown(id: number): void {
    this.#hand.delete(id)
    this.#world.inHand([...this.#hand])
  }

  /** No host is blamed: retry and the user's plugins may vote, and otherwise the page is settled as failed. */
  #fail({ run, leased, response }: Visited, cause: Failure): void {
    this.#layDown(leased.id)
    const { hooks, clock, tally } = this.#world
    tally.problem(`${cause.message} (${run.request.url})`)
    const ballot = new OpenBallot(false)
    hooks.onHandlerError.call({ request: run.request, host: run.host, failure: cause, now: clock.now() }, ballot)
    this.#world.turn(bareTurn(run.host, run.request, failedOutcome(run, response, { cause, ballot, now: clock.now() })))
  }
}

type HandlerLinks = (HandlerResult & { kind: 'yielded' })['links']

function failedOutcome(
  run: ExchangeRun,
  response: Response,
  { cause, ballot, now }: { cause: Failure; ballot: OpenBallot; now: number },
): NonNullable<TurnDraft['outcome']> {
  const fetched = fetchedOf(run, now, response)
  const { verdict } = ballot
  if (verdict.kind === 'retry')
    return { kind: 'retry', at: verdict.at, counted: verdict.counted, reason: verdict.reason, fetched }
  return { kind: 'failed', reason: verdict.kind === 'drop' ? verdict.reason : reasonOf(cause.code), failure: cause, fetched }
}

const NOTHING_NEW: Handler<unknown> = () => []

/** The handler that the link named; of a page that is as it was, the spider's word on those. */
function handlerOf(spider: Spider, request: Request, { status }: Response): Handler<unknown> | undefined {
  if (isUnchanged(request, status)) return spider.unchanged ?? NOTHING_NEW
  return Object.hasOwn(spider.handlers, request.handler) ? spider.handlers[request.handler] : undefined
}

function unknownHandler(spider: Spider, handler: string): Failure {
  const known = Object.keys(spider.handlers).join(', ')
  return failure('AVO_HANDLER_UNKNOWN', `spider ${spider.name} has no handler ${JSON.stringify(handler)} (it has: ${known})`, {
    phase: 'handler',
    sent: true,
  })
}
