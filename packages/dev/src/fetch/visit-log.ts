// What happened while one page was asked for: every exchange in order, robots.txt and redirects among them, and how its request was settled.
import type { Crawl, Request, Response } from '@avocet/core'
import { headerOf, isRedirect, type Failure, type TraceEvent } from '@avocet/core/plugin'
import type { Outcome, TimeLimits } from '@avocet/core/store'
import type { Explanation } from '@avocet/core/tools'

/** One exchange. */
export interface Hop {
  readonly request: Request
  /** A document that a plugin wanted first, such as robots.txt. */
  readonly required: boolean
  /** Both absent where a plugin of the project failed before anything was sent. */
  readonly sentHeaders?: Readonly<Record<string, string>>
  readonly limits?: TimeLimits
  readonly end:
    | { readonly kind: 'answered'; readonly response: Response }
    | { readonly kind: 'failed'; readonly failure: Failure }
}

/** The page's own last exchange. */
export function lastOf(hops: readonly Hop[]): Hop | undefined {
  return hops.findLast(({ required }) => !required)
}

/** Where a hop led, if it is a redirect that is followed. */
export function redirectOf({ end }: Hop): string | undefined {
  return end.kind === 'answered' && isRedirect(end.response) ? headerOf(end.response.headers, 'location') : undefined
}

/** Whether it is a document that a plugin wants first (robots.txt), and that cannot be had now: waiting for it is a crawl's business. */
export function lacksDocument({ required, end }: Hop): boolean {
  return required && (end.kind === 'failed' || end.response.status >= 500)
}

/** Shorter waits need no word. */
const WORTH_A_WORD_MS = 1_500

/** What it goes by. */
export interface LogSettings {
  /** How long a page is waited for. */
  readonly patienceMs: number
  /** Told what is waited for. */
  readonly waits: (hold: Explanation['holds'][number], now: number) => void
}

/** Reads the trace of one crawl of one page, and ends it when there is no more to be learned. */
export class VisitLog {
  readonly hops: Hop[] = []
  /** The last that was heard of the page's request; of a redirect, of its target. */
  settled: Outcome | undefined
  /** A pause of the whole crawl (no network). */
  pausedFor: string | undefined
  /** What holds hosts, by their keys. */
  readonly #holds = new Map<string, Explanation['holds'][number]>()
  /** Until when a plugin put the page off, without having asked for it. */
  #putOff: Explanation['heldFor']
  /** What exchanges were sent with, by their ids. */
  readonly #begun = new Map<string, Pick<Hop, 'sentHeaders' | 'limits'>>()
  /** Whether the page is to be asked for: not while it is, nor while it is judged what its answer means. */
  #isWaiting = true
  #saidUntil = 0
  readonly #run: Crawl
  readonly #settings: LogSettings

  constructor(run: Crawl, settings: LogSettings) {
    this.#run = run
    this.#settings = settings
    run.hooks.onTrace.tap('visit-log', (event: TraceEvent) => this.#heard(event))
  }

  /** The page's own last exchange. */
  get last(): Hop | undefined {
    return lastOf(this.hops)
  }

  /** What holds the page at `now`. */
  hold(now: number): Explanation['heldFor'] {
    const holds = [...this.#holds.values(), ...(this.#putOff ? [this.#putOff] : [])]
    return holds.find(({ until }) => Number.isFinite(until) && until > now)
  }

  #heard(event: TraceEvent): void {
    if (event.kind === 'booked' && !event.exchange.required) this.#isWaiting = false
    else if (event.kind === 'begun') this.#begun.set(event.exchange.id, { sentHeaders: event.headers, limits: event.limits })
    else if (event.kind === 'answered') this.#ended(event.exchange, { kind: 'answered', response: event.response })
    else if (event.kind === 'failed') this.#ended(event.exchange, { kind: 'failed', failure: event.failure })
    else if (event.kind === 'unsent') this.#unsent(event)
    else if (event.kind === 'paused') this.#paused(event.why)
    else if (event.kind === 'committed') this.#committed(event.outcome, event.at)
    else if (event.kind === 'held') this.#held(event.hostKey, event.hold, event.at)
  }

  #ended(exchange: Extract<TraceEvent, { readonly kind: 'answered' }>['exchange'], end: Hop['end']): void {
    const { request, required } = exchange
    this.hops.push({ request, required, end, ...this.#begun.get(exchange.id) })
  }

  #unsent({ exchange, response, verdict, by = 'core' }: Extract<TraceEvent, { readonly kind: 'unsent' }>): void {
    if (!exchange.required) this.#isWaiting = response === undefined
    if (verdict.kind === 'retry') this.#putOff = { by, why: verdict.reason, until: verdict.at }
  }

  /** A fault of this machine: a person need not wait for its end. */
  #paused(why: string): void {
    this.pausedFor = why
    this.#run.abort()
  }

  #committed(outcome: Outcome, now: number): void {
    this.settled = outcome
    this.#isWaiting = outcome.kind === 'moved' || outcome.kind === 'retry'
    // What was put back without having been asked is not over: it waits for its turn.
    const isOver = outcome.kind === 'retry' && this.last !== undefined && redirectOf(this.last) === undefined
    if (isOver) this.#run.stop()
    else this.#look(now)
  }

  #held(hostKey: string, hold: Explanation['heldFor'], now: number): void {
    if (hold === undefined) this.#holds.delete(hostKey)
    else this.#holds.set(hostKey, hold)
    this.#look(now)
  }

  #look(now: number): void {
    const hold = this.hold(now)
    if (!this.#isWaiting || hold === undefined) return
    const { patienceMs, waits } = this.#settings
    const restMs = hold.until - now
    const lastHop = this.hops.at(-1)
    if (lastHop && lacksDocument(lastHop) && restMs > WORTH_A_WORD_MS) return this.#run.stop()
    // A crawl has patience until the next opening.
    if (hold.by === 'hours' && restMs > patienceMs) return this.#run.stop()
    if (restMs < WORTH_A_WORD_MS || restMs > patienceMs || hold.until <= this.#saidUntil + WORTH_A_WORD_MS) return
    this.#saidUntil = hold.until
    waits(hold, now)
  }
}
