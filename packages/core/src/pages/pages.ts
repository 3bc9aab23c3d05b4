// From an answer that the spider wants to what is committed for it: page, handler, items through `onItem`, links through `onDiscover`.
//
// In this tick when nothing on the way is asynchronous, the page is not large, and the event loop has room. Handlers run outside the slots: the host's
// exchange has ended, its slot is free, and the next one is in flight. What bounds them is their own number and the bytes of the pages they keep in RAM,
// which the byte budget counts; both gate dispatch, those that overran their time included.
import type { Discovered } from '../discovery/discovery.ts'
import { MAX_DOCUMENT_LINKS, type DocumentHandler } from '../ports/document-handler.ts'
import { fetchedAtOf, fetchedOf } from '../ports/exchange.ts'
import type { PageExchange } from '../hosts/live-host.ts'
import { isUnchanged, validatorsAfter } from '../run/conditional.ts'
import type { Failure } from '../ports/failure.ts'
import type { NewItem, Outcome } from '../ports/frontier.ts'
import { handlerVotes } from '../hooks/votes.ts'
import { Holding } from '../hooks/holding.ts'
import { isTapped, trace } from '../hooks/hooks.ts'
import type { Link } from '../ports/link.ts'
import type { CrawledPage } from '../ports/page.ts'
import type { Leased, Request, Validators } from '../ports/request.ts'
import type { Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { outcomeOnly, type PendingUnit } from '../run/pending-unit.ts'
import { outcomeOfError, withHandlerError } from './handler-failed.ts'
import { PagesInProgress } from './pages-in-progress.ts'
import { listedTooMuch, withoutItems } from './plugin-documents.ts'
import { linksFound, type FoundLinks, type LinkParts } from './page-links.ts'
import { PageTurns } from './page-turns.ts'
import { itemsThrough, leftAsTheyAre, type LeftItems } from './page-items.ts'
import { handlerOf, runHandler, unknownHandler } from './run-handler.ts'
import { itemSchemaOf, Watch, watchedBy } from './watched-items.ts'
import type { HandlerResult } from './yields.ts'

/** Bytes of a page in a handler per byte of its body: the body, and its text, which takes two bytes a character at worst. */
const BYTES_PER_BODY_BYTE = 3
/** The share of the byte budget that pages in handlers may hold before nothing more is requested; the rest is for what is in flight. */
const SHARE = 0.5

/** What became of a page. */
export interface HandledUnit {
  readonly unit: PendingUnit
  /** Its handler overran its time, and this settles when it really ends. */
  readonly running?: Promise<unknown>
}

/** A page in its handler. */
interface Visited {
  readonly exchange: PageExchange
  readonly leased: Leased
  readonly response: Response
  readonly page: CrawledPage
  /** It is a document of a plugin, which lists pages: how it is read. */
  readonly document: DocumentHandler | undefined
}

/** Handles them. */
export class Pages {
  running = 0
  /** Of pages in handlers that are in time. */
  #pageBytes = 0
  readonly #inProgress: PagesInProgress
  /** Handlers and `onItem` that overran their time and still run, oldest first: their pages have failed, and stay in RAM until they really end. */
  readonly #late = new Set<Promise<unknown>>()
  readonly #turns: PageTurns
  readonly #run: Run
  readonly #parts: LinkParts
  /** Finds watched items; undefined: the spider watches none. */
  readonly #watch: Watch | undefined

  constructor(run: Run, parts: LinkParts) {
    const { clock, loop, frontier, spider } = run.settings
    const watched = watchedBy(spider)
    this.#run = run
    this.#parts = parts
    this.#inProgress = new PagesInProgress(frontier)
    this.#turns = new PageTurns(clock, loop)
    this.#watch = watched && new Watch(watched, run.tally.problem)
  }

  /** Whether another page may be requested. */
  get hasRoom(): boolean {
    const { maxHandlers, bodyBudgetBytes } = this.#run.settings
    return this.running + this.#late.size < maxHandlers && this.#pageBytes < SHARE * bodyBudgetBytes
  }

  /** Runs the handler of a page; a promise where something on the way takes time: then `finished` is to be called. Never rejects. */
  handle(exchange: PageExchange, leased: Leased, response: Response): HandledUnit | Promise<HandledUnit> {
    const { settings } = this.#run
    const { request } = exchange
    const fetchedAt = fetchedAtOf(exchange, response)
    const { userAgent } = settings
    const document = settings.documents.get(request.handler)
    const page = exchange.page ?? settings.pages.part({ request, response, userAgent, fetchedAt })
    const handled = goOnWith(this.#inProgress.enter(leased), () => this.#through({ exchange, leased, response, page, document }))
    if (handled instanceof Promise) {
      // What bounds handlers, `onItem` and waiting for the store is their number, and the bytes that they keep.
      const bytes = BYTES_PER_BODY_BYTE * response.body.byteLength
      this.running++
      this.#pageBytes += bytes
      settings.fetcher.loaded?.bodyBudget?.acquire(bytes)
    }
    return handled
  }

  /** A page that took time is handled: its commit says so in the same tick, or it would not be counted in between. */
  finished({ body }: Pick<Response, 'body'>, { running }: HandledUnit): void {
    const bytes = BYTES_PER_BODY_BYTE * body.byteLength
    this.running--
    this.#pageBytes -= bytes
    this.#run.settings.fetcher.loaded?.bodyBudget?.release(bytes)
    if (running) this.#overran(running)
  }

  /** It counts as a handler until it ends. What never ends must not stop the crawl: at most half of `maxHandlers` are theirs. */
  #overran(running: Promise<unknown>): void {
    const { settings, tally, goOn } = this.#run
    this.#late.add(running)
    const over = (): void => {
      this.#late.delete(running)
      goOn()
    }
    running.then(over, over)
    const [oldest = running] = this.#late
    if (this.#late.size <= settings.maxHandlers / 2) return
    this.#late.delete(oldest)
    tally.problem('handlers that timed out are still running, and each keeps its page in memory; find what they wait for')
  }

  #through(visited: Visited): HandledUnit | Promise<HandledUnit> {
    const { spider, clock, loop, handlerTimeoutMs: timeoutMs } = this.#run.settings
    const { exchange, leased, response, page, document } = visited
    const isListing = document !== undefined
    const maxYields = Math.max(this.#run.settings.maxYields, isListing ? MAX_DOCUMENT_LINKS : 0)
    const handler = handlerOf(this.#run.settings, exchange.request, response)
    if (handler === undefined) return this.#fail(visited, unknownHandler(spider, leased.handler))
    const begin = (): Promise<void> | undefined => this.#inProgress.begin(leased.id)
    const run = (): HandlerResult | Promise<HandlerResult> =>
      runHandler(handler, page, { clock, timeoutMs, maxYields, loop, handlers: spider.handlers })
    const handle = (): HandlerResult | Promise<HandlerResult> => goOnWith(begin(), run)
    // A document is read by its plugin, in turns of its own.
    const ready = isListing ? undefined : this.#turns.ready({ page, handler, begin })
    return goOnWith(ready?.then(handle) ?? handle(), (yielded) => {
      const result = document === undefined ? yielded : withoutItems(yielded, leased.handler, document)
      if (!isListing) this.#turns.seen(page, handler)
      if (result.kind === 'failed') return this.#fail(visited, result)
      if (isListing) return this.#links(visited, result.links, leftAsTheyAre(result.items))
      return this.#items(visited, result.links, result.items)
    })
  }

  #items(visited: Visited, links: readonly Link[], items: readonly string[]): HandledUnit | Promise<HandledUnit> {
    const { hooks, settings } = this.#run
    const { clock, loop, handlerTimeoutMs: timeoutMs, spider, codec } = settings
    const world = { hooks, clock, loop, timeoutMs, schema: itemSchemaOf(spider), hide: codec.text }
    return goOnWith(itemsThrough(items, visited.exchange, world), (left) => {
      if (left.kind === 'failed') return this.#fail(visited, left)
      return this.#links(visited, links, left)
    })
  }

  #links(visited: Visited, links: readonly Link[], left: LeftItems): HandledUnit | Promise<HandledUnit> {
    const isListing = visited.document !== undefined
    const found = linksFound({ ...visited, links, isListing }, this.#run, this.#parts)
    return goOnWith(found, (all) => (all.kind === 'failed' ? this.#fail(visited, all) : this.#end(visited, all, left)))
  }

  #end(visited: Visited, found: FoundLinks, { items, rejects, dropped }: LeftItems): HandledUnit {
    const { exchange, response, document } = visited
    const { host, request } = exchange
    const { revisits, tally, settings } = this.#run
    this.#over(visited)
    // Each page may have another that is no URL: they are one problem of the handler.
    for (const [rule, problem] of found.problems)
      tally.problem(problem, rule === 'malformed' ? `malformed links of ${request.handler}` : undefined)
    const now = settings.clock.now()
    const fetched = fetchedOf(exchange, now, response)
    trace(this.#run.hooks, 'handled', () => ({ at: now, request, items: items.length, links: found.offered }))
    const isListing = document !== undefined
    if (isListing && found.overBudget > 0) tally.problem(listedTooMuch(request.url, host.key, settings.discoveryLimits))
    const watched = isListing ? undefined : this.#watch?.watchedOf(items, request.url)
    const holding = isListing
      ? undefined
      : this.#told(visited, found, { items: watched?.items ?? items, rejects: rejects.length, dropped, now })
    const reason = isUnchanged(request, response.status) ? ({ reason: 'unchanged' } as const) : {}
    const outcome = { kind: 'done', fetched, ...reason } as const
    const dueAt = request.earlier?.dueAt ?? exchange.sentAt ?? exchange.admittedAt
    const { again } = revisits.after({ request, host, outcome, dueAt, now })
    const next = again && { again: { ...again, ...validatorsOf(visited, holding) } }
    const unit: PendingUnit = {
      host,
      request,
      outcome: { ...outcome, ...next },
      links: found.requests,
      ...heldOr(watched?.items ?? (isListing ? [] : items), holding),
      watch: watched && this.#watch?.pageOf(watched, { rejects, holding, isUnchanged: isSame(request, { ...outcome, ...next }) }),
      rejects,
      dropped,
      offered: found.offered,
      refused: found.refused,
      pairs: found.pairs,
      isListing,
      records: document?.records ? items : undefined,
    }
    return { unit }
  }

  /** The budgets of its host, and plugins, hear what the page brought; returns what plugins want of its items. */
  #told(
    { exchange, response, page }: Visited,
    found: Discovered,
    { items, ...told }: { items: readonly NewItem[]; rejects: number; dropped: number; now: number },
  ): Holding | undefined {
    const { hooks } = this.#run
    const { host, request } = exchange
    const { requests: links, overBudget } = found
    this.#parts.budgets.handled(host, { items: items.length, links: links.length, overBudget })
    if (!isTapped(hooks.onHandled)) return undefined
    const texts = items.map(({ json }) => json)
    const watched = items.flatMap((item) => item.watched ?? [])
    const handled = Object.assign(new Holding(), { request, host, response, page, items: texts, watched, links, ...told })
    hooks.onHandled.call(handled)
    return handled
  }

  #over({ leased, response }: Visited): void {
    this.#inProgress.over(leased.id)
    this.#run.settings.fetcher.loaded?.bodyBudget?.leaveBehind(BYTES_PER_BODY_BYTE * response.body.byteLength)
  }

  /** No host is blamed: plugins may vote, and otherwise the page is settled as failed. */
  #fail(visited: Visited, { failure: thrown, running }: { failure: Failure; running?: Promise<unknown> }): HandledUnit {
    const { hooks, tally, settings } = this.#run
    const { host, request } = visited.exchange
    this.#over(visited)
    const cause = settings.codec.current.failure(withHandlerError(thrown))
    const now = settings.clock.now()
    const votes = handlerVotes({ request, host, response: visited.response, failure: cause, now })
    hooks.onHandled.call(votes)
    tally.handlerError(cause, request.url, votes.verdict.kind === 'retry')
    trace(hooks, 'handler-failed', () => ({ at: now, request, failure: cause, ...votes.loudest.told }))
    return {
      unit: outcomeOnly(host, request, outcomeOfError(votes, fetchedOf(visited.exchange, now, visited.response))),
      ...(running && { running }),
    }
  }
}

/** The next visit of a page that is held gets it whole, and is as no visit before: what is dropped of this one must come again. */
function validatorsOf({ exchange: { request }, response }: Visited, holding: Holding | undefined): Validators {
  return holding?.reason === undefined ? validatorsAfter(request, response) : {}
}

/** Its items, or those that are held. */
function heldOr(items: readonly NewItem[], holding: Holding | undefined): Pick<PendingUnit, 'items' | 'held' | 'settlesHeld'> {
  const { reason, fate: settlesHeld } = holding ?? {}
  return reason === undefined ? { items, settlesHeld } : { items: [], held: { items, reason }, settlesHeld }
}

/** Whether the page is as it was at its last visit: byte by byte, or by the word of its server. */
function isSame({ earlier }: Request, { reason, again }: Extract<Outcome, { kind: 'done' }>): boolean {
  return reason === 'unchanged' || (again?.bodyHash !== undefined && again.bodyHash === earlier?.bodyHash)
}

/** Goes on with what is there in this tick, and with what comes when it comes. */
function goOnWith<Value, Result>(
  coming: Value | Promise<Value>,
  goOn: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return coming instanceof Promise ? coming.then(goOn) : goOn(coming)
}
