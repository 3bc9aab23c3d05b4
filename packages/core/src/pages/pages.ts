// From an answer that the spider wants to a turn: page, handler, items through `onItem`, links through `onDiscover`.
//
// Handlers run outside the slots: the host's exchange is over, its slot is free, and the next one is under way. What bounds them is their own
// number and the bytes of the pages they keep in RAM, which the byte budget counts; both gate dispatch, those that overran their time included.
import type { ByteBudget } from '../byte-budget.ts'
import type { Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'
import { isIdempotent } from '../is-idempotent.ts'
import type { NewItem } from '../frontier.ts'
import { pageOf } from '../html/html-page.ts'
import { isTapped, type CrawlHooks } from '../hooks/hooks.ts'
import { leaveBehind } from '../process/large-garbage.ts'
import type { Page } from '../page.ts'
import type { Fingerprint, Leased, NewRequest, Request } from '../request.ts'
import type { Response } from '../response.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Handler, Spider } from '../spider.ts'
import { OpenBallot } from '../hooks/ballot.ts'
import type { DiskWatch } from '../store/disk-watch.ts'
import { LINKS_A_STEP, type Discovered, type Discoveries } from '../discovery/discovery.ts'
import type { ExchangeRun } from '../exchange/exchange-run.ts'
import { filterItems } from './item-filter.ts'
import { LateHandlers } from './late-handlers.ts'
import { runHandler, type HandlerLimits, type HandlerResult } from './handler-run.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import { fetchedOf, reasonOf } from '../exchange/outcome.ts'
import { PageTurns } from './page-turns.ts'
import { putBack } from './put-back.ts'
import { isUnchanged, type Recrawl } from '../recrawl/recrawl.ts'
import type { Tally } from '../run/tally.ts'
import type { Judgement, Traps } from '../traps/traps.ts'
import { bareTurn, type TurnDraft } from '../store/turn-draft.ts'

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
  readonly traps: Traps
  /** While it is low no new URL is taken in. */
  readonly disk: DiskWatch
  /** Which of these the store knows. */
  known(fingerprints: readonly Fingerprint[]): Promise<ReadonlySet<Fingerprint>>
  readonly recrawl: Recrawl
  readonly limits: HandlerLimits
  readonly maxHandlers: number
  readonly bodyBudget: ByteBudget
  readonly loop: LoopBudget
  readonly secrets: Secrets
  readonly html: 'parse5' | 'fast'
  /** Which pages are being worked on, in case one of them kills the process. */
  inHand(requestIds: readonly number[]): void
  turn(draft: TurnDraft): void
  /** What an accepted page says of the patterns of its host. */
  judged(host: LiveHost, judgement: Judgement): void
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
  readonly #turns: PageTurns
  readonly #world: PageWorld

  constructor(world: PageWorld) {
    this.#world = world
    this.#turns = new PageTurns(world.clock, world.loop)
    this.#late = new LateHandlers({ handlers: world.maxHandlers, budget: world.bodyBudget }, world.tally.problem)
  }

  /** Whether another page may be asked for. */
  get hasRoom(): boolean {
    const { maxHandlers, bodyBudget } = this.#world
    if (this.running + this.#late.count >= maxHandlers) return false
    return this.#pageBytes + this.#late.bytes < SHARE * bodyBudget.totalBytes
  }

  /** Runs the handler of a page. Its turn is added in this tick when nothing on the way is asynchronous, the page is not large, and the loop has room. */
  visit(run: ExchangeRun, leased: Leased, response: Response): void {
    const { spider, clock, limits, loop, html } = this.#world
    this.#pickUp(leased.id)
    if (response.leftOutFields !== undefined)
      this.#world.tally.problem(
        `${response.leftOutFields} Set-Cookie fields were left out, the first are kept (${run.request.url})`,
      )
    const page = pageOf({ request: run.request, response, html, fetchedAt: run.sentAt ?? run.admittedAt })
    const visited = { run, leased, response, page }
    const handler = handlerOf(spider, run.request, response)
    if (handler === undefined) return this.#fail(visited, unknownHandler(spider, leased.handler))
    const handle = (): HandlerResult | Promise<HandlerResult> =>
      runHandler(handler, page, { clock, limits, loop, handlers: spider.handlers })
    const result = this.#turns.ready(page, handler)?.then(handle) ?? handle()
    const handled = (end: HandlerResult): void => {
      this.#turns.seen(page, handler)
      this.#take(visited, end)
    }
    if (result instanceof Promise) this.#wait(visited, result, handled)
    else handled(result)
  }

  #take(visited: Visited, result: HandlerResult): void {
    const { hooks, clock, limits } = this.#world
    if (result.kind === 'failed') return this.#fail(visited, result.failure)
    const { links } = result
    const items = visited.run.request.cut ? [] : result.items
    if (items.length === 0 || !isTapped(hooks.onItem)) return this.#accept(visited, links, items)
    const filtered = filterItems(items, visited.run.request, { hooks, clock, timeoutMs: limits.timeoutMs })
    this.#wait(visited, filtered, (left) => {
      if (left.kind === 'failed') this.#fail(visited, left.failure)
      else this.#accept(visited, links, left.items)
    })
  }

  /** Waits for a handler, or for `onItem`: what bounds them is their number and the bytes that they keep. */
  #wait<T extends HandlerResult | Found>(visited: Visited, coming: Promise<T>, then: (result: T) => void): void {
    const { bodyBudget } = this.#world
    const bytes = BYTES_PER_BODY_BYTE * visited.response.body.byteLength
    this.running++
    this.#pageBytes += bytes
    bodyBudget.acquire(bytes)
    void coming.then((result) => {
      this.running--
      this.#pageBytes -= bytes
      if (result.kind === 'failed' && 'running' in result && result.running !== undefined)
        this.#late.add(bytes, result.running, () => this.#world.room())
      else bodyBudget.release(bytes)
      then(result)
      this.#world.room()
    })
  }

  #accept(visited: Visited, links: HandlerLinks, items: readonly string[]): void {
    const steps = this.#discovering(visited, links)
    let step = steps.next()
    while (step.done !== true && step.value === undefined && this.#world.loop.take(LINKS_A_STEP * COST.link)) step = steps.next()
    if (step.done === true) this.#end(visited, step.value, items)
    else this.#wait(visited, this.#inTurns(steps, visited, step.value), (found) => this.#end(visited, found, items))
  }

  /** `asked`: of these the next step is to know whether the store has them. Time may go on while the store is asked: it may have to be waited for. */
  async #inTurns(steps: Discovering, { run }: Visited, asked: readonly NewRequest[] | undefined): Promise<Found> {
    for (let ask = asked; ;) {
      const known = ask && (await this.#world.known(ask.map(({ fingerprint }) => fingerprint)))
      const hold = this.#world.clock.hold(`links of ${run.request.url}`)
      await this.#world.loop.room(LINKS_A_STEP * COST.link)
      const step = steps.next(known)
      hold[Symbol.dispose]()
      if (step.done === true) return step.value
      ask = step.value
    }
  }

  #end(visited: Visited, found: Found, items: readonly string[]): void {
    if (found.kind === 'failed') return this.#fail(visited, found.failure)
    const { run, response } = visited
    const { clock, recrawl, tally } = this.#world
    this.#layDown(visited)
    const { request } = run
    for (const none of found.unusable)
      tally.problem(`handler ${request.handler} yielded link(${none}), which is no URL: it is not followed (${request.url})`)
    const now = clock.now()
    const fetched = fetchedOf(run, now, response)
    if (found.overBudget > 0 && found.isDiskLow)
      return this.#world.turn(bareTurn(run.host, run.request, putBack(run.request, fetched)))
    const cut = isIdempotent(run.request.method) ? found.cut : undefined
    const read = { sentAt: fetched.at, now, isReread: run.request.cut !== undefined, isCut: cut !== undefined }
    const again = recrawl.afterPage(run.request, response, read)
    const reason = isUnchanged(run.request, response.status) ? ({ reason: 'unchanged' } as const) : {}
    this.#world.turn({
      host: run.host,
      request: run.request,
      outcome: { kind: 'done', fetched, ...reason, ...(cut && { cut }), ...(again && { again }) },
      links: found.requests,
      items: items.map((json): NewItem => ({ json })),
      offered: found.offered,
      refusedLinks: found.refused - (cut?.left ?? 0),
      pairs: found.pairs,
    })
    this.#judge(visited, found, items)
  }

  /** Whether the page brought anything, and its links lead anywhere. */
  #judge(visited: Visited, found: Discovered, items: readonly string[]): void {
    const { traps, judged } = this.#world
    const { run, response } = visited
    const { host, request } = run
    const { requests, overBudget } = found
    host.gains.pending += requests.length
    // One that is read again for its links has earned what it earns.
    if (request.cut !== undefined) return
    if (overBudget > 0) traps.overBudget(host, overBudget)
    const isRevisited = request.earlier !== undefined
    const judgement = traps.judge(host, { url: request.url, isRevisited, body: response.body, items, requests })
    if (judgement !== undefined) judged(host, judgement)
  }

  /** What the links lead to. What a handler puts into a link is the user's, and may be anything: data with a cycle, a text that is none. */
  *#discovering({ run, leased, page }: Visited, links: HandlerLinks): Discovering {
    const { request, host } = run
    const { discoveries, traps, disk } = this.#world
    // What is not idempotent is not sent twice: its links are taken in while the store can be written at all.
    const isDiskLow = isIdempotent(request.method) && disk.isLow
    const room = (): number => (isDiskLow ? 0 : traps.room(host))
    const gate = { room, refusal: (url: string, hostKey: string) => traps.refusal(host, { url, hostKey }) }
    try {
      const baseUrl = links.length > 0 ? page.baseUrl : request.url
      return { kind: 'found', isDiskLow, ...(yield* discoveries.inSteps(links, { leased, request, gate, baseUrl })) }
    } catch (error) {
      const message = `expected handler ${request.handler} to yield links of plain data, got one that cannot be written down (${messageOf(error)})`
      return {
        kind: 'failed',
        failure: failure('AVO_HANDLER_YIELD_INVALID', message, { phase: 'handler', sent: true, cause: error }),
      }
    }
  }

  #pickUp(id: number): void {
    this.#hand.add(id)
    this.#world.inHand([...this.#hand])
  }

  #layDown({ leased, response }: Visited): void {
    this.#hand.delete(leased.id)
    this.#world.inHand([...this.#hand])
    leaveBehind(BYTES_PER_BODY_BYTE * response.body.byteLength)
  }

  /** No host is blamed: retry and the user's plugins may vote, and otherwise the page is settled as failed. */
  #fail(visited: Visited, thrown: Failure): void {
    const { run, response } = visited
    this.#layDown(visited)
    const { hooks, clock, tally, secrets } = this.#world
    const cause = secrets.inFailure(thrown)
    tally.problem(`${cause.message} (${run.request.url})`)
    const ballot = new OpenBallot(false)
    hooks.onHandlerError.call({ request: run.request, host: run.host, failure: cause, now: clock.now() }, ballot)
    this.#world.turn(bareTurn(run.host, run.request, failedOutcome(run, response, { cause, ballot, now: clock.now() })))
  }
}

type HandlerLinks = (HandlerResult & { kind: 'yielded' })['links']
/** What became of the links. */
type Found =
  | ({ readonly kind: 'found'; readonly isDiskLow: boolean } & Discovered)
  | { readonly kind: 'failed'; readonly failure: Failure }
type Discovering = Generator<readonly NewRequest[] | undefined, Found, ReadonlySet<Fingerprint> | undefined>

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
