// The spans of sampled exchanges: one for each station that an exchange passes, below one for all of them, made from the events of the trace.
//
// exchange: beforeRequest, then the request (connect, first byte, body), judge, handle, commit. A span of a station is made when it is over, with the times
// of the events: nothing is in the context of the process meanwhile. What is open is bounded; an exchange of which the commit is not heard (it was fenced,
// or has none) is ended when there are too many, and at the end of the run.
import type { Exchange, Failure, TraceEvent } from '@avocet/core/plugin'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api'
import { failureAttributes, methodOf, requestAttributes, statusAttributes } from './attributes.ts'

/** Exchanges that are open at once, at most. */
const MAX_OPEN = 1_000
const SECOND_MS = 1_000
const FIRST_ERROR = 400

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>
type Over = EventOf<'answered'> | EventOf<'failed'> | EventOf<'unsent'>

/** A sampled exchange. Epoch ms. */
interface Open {
  readonly id: string
  readonly requestId: number
  readonly root: Span
  readonly context: Context
  readonly bookedAt: number
  begunAt?: number
  sentAt?: number
  headAt?: number
  /** When the station before the next one was over. */
  lastAt: number
}

/** What a span of a station says. */
interface Station {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly attributes?: Attributes
  /** What went wrong. */
  readonly error?: string | undefined
}

/** Those that are open, and the tracer that gets them. */
export class ExchangeSpans {
  readonly #tracer: Tracer
  /** By exchange, the oldest first. */
  readonly #open = new Map<string, Open>()
  /** Of those that are over and not committed yet, by request. */
  readonly #uncommitted = new Map<number, Open>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** This one is traced. */
  begin({ host, seq, request, required, admittedAt }: Exchange): void {
    const attributes = {
      'avocet.host': host.key,
      'avocet.exchange.seq': seq,
      'avocet.handler': request.handler,
      'avocet.depth': request.depth,
      ...(required && { 'avocet.required': true }),
    }
    const root = this.#tracer.startSpan('exchange', { startTime: timeOf(admittedAt), attributes, root: true }, ROOT_CONTEXT)
    const context = trace.setSpan(ROOT_CONTEXT, root)
    const id = `${host.key} ${seq}`
    this.#open.set(id, { id, requestId: request.id, root, context, bookedAt: admittedAt, lastAt: admittedAt })
    const [oldest] = this.#open.values()
    if (this.#open.size > MAX_OPEN && oldest) this.#incomplete(oldest)
  }

  /** Something happened. */
  hear(event: TraceEvent): void {
    if (this.#open.size === 0) return
    if (event.kind === 'begun' || event.kind === 'sent' || event.kind === 'head') this.#passed(event)
    else if (event.kind === 'answered' || event.kind === 'failed' || event.kind === 'unsent') this.#over(event)
    else if (event.kind === 'handled' || event.kind === 'handler-failed') this.#handled(event)
    else if (event.kind === 'committed') this.#committed(event)
  }

  /** Ends all that are open. */
  end(): void {
    for (const open of this.#open.values()) this.#incomplete(open)
  }

  #passed({ kind, at, exchange }: EventOf<'begun' | 'sent' | 'head'>): void {
    const open = this.#open.get(exchange.id)
    if (open === undefined) return
    if (kind === 'begun') open.begunAt = at
    else if (kind === 'sent') open.sentAt = at
    else open.headAt = at
  }

  #over(event: Over): void {
    const open = this.#open.get(event.exchange.id)
    if (open === undefined) return
    const { at, verdict, by } = event
    this.#span(open, { name: 'beforeRequest', from: open.bookedAt, to: open.begunAt ?? at })
    if (open.begunAt !== undefined) this.#request(open, open.begunAt, event)
    const reason = 'reason' in verdict ? verdict.reason : undefined
    const attributes = {
      'avocet.verdict': verdict.kind,
      ...(by && { 'avocet.verdict.by': by }),
      ...(reason && { 'avocet.verdict.reason': reason }),
    }
    this.#span(open, { name: 'judge', from: at, to: at, attributes })
    open.lastAt = at
    // No commit is heard of a document that a plugin wants, nor of what goes back to the queue.
    if (event.exchange.required || event.kind === 'unsent')
      return this.#close(open, at, { 'avocet.unsent': event.kind === 'unsent' })
    this.#uncommitted.set(open.requestId, open)
  }

  /** The span that the conventions know, with its phases below it. */
  #request(open: Open, from: number, event: Over): void {
    const { at, exchange } = event
    const response = 'response' in event ? event.response : undefined
    const failure = 'failure' in event ? event.failure : undefined
    const { timings } = response ?? failure ?? {}
    const attributes = {
      ...requestAttributes(exchange),
      ...(response && { ...statusAttributes(response.status), 'http.response.body.size': response.wireBytes }),
      ...(response?.remoteAddress !== undefined &&
        exchange.proxy === undefined && { 'network.peer.address': response.remoteAddress }),
      ...(failure && failureAttributes(failure)),
    }
    const span = this.#started(open.context, { name: methodName(exchange.request), from, to: at, attributes }, SpanKind.CLIENT)
    const context = trace.setSpan(open.context, span)
    const { sentAt, headAt } = open
    if (timings?.connectMs !== undefined) {
      const to = sentAt ?? at
      this.#phase(context, { name: 'connect', from: Math.max(from, to - timings.connectMs), to })
    }
    if (sentAt !== undefined) this.#phase(context, { name: 'first byte', from: sentAt, to: headAt ?? at })
    if (headAt !== undefined) this.#phase(context, { name: 'body', from: headAt, to: at })
    const error = errorOf(response?.status, failure)
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    span.end(timeOf(at))
  }

  #handled(event: EventOf<'handled' | 'handler-failed'>): void {
    const open = this.#uncommitted.get(event.request.id)
    if (open === undefined) return
    const attributes =
      event.kind === 'handled' ? { 'avocet.items': event.items, 'avocet.links': event.links } : failureAttributes(event.failure)
    const error = event.kind === 'handled' ? undefined : event.failure.message
    this.#span(open, { name: 'handle', from: open.lastAt, to: event.at, attributes, error })
    open.lastAt = event.at
  }

  #committed({ at, request, outcome, items, added }: EventOf<'committed'>): void {
    const open = this.#uncommitted.get(request.id)
    if (open === undefined) return
    this.#span(open, {
      name: 'commit',
      from: open.lastAt,
      to: at,
      attributes: { 'avocet.items': items, 'avocet.links.added': added },
    })
    if (outcome.kind === 'failed') open.root.setStatus({ code: SpanStatusCode.ERROR, message: outcome.reason })
    this.#close(open, at, { 'avocet.outcome': outcome.kind })
  }

  #incomplete(open: Open): void {
    this.#close(open, open.lastAt, { 'avocet.incomplete': true })
  }

  #close(open: Open, at: number, attributes: Attributes): void {
    this.#open.delete(open.id)
    if (this.#uncommitted.get(open.requestId) === open) this.#uncommitted.delete(open.requestId)
    open.root.setAttributes(attributes)
    open.root.end(timeOf(at))
  }

  #span(open: Open, station: Station): void {
    this.#phase(open.context, station)
  }

  #phase(context: Context, station: Station): void {
    const span = this.#started(context, station, SpanKind.INTERNAL)
    if (station.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: station.error })
    span.end(timeOf(station.to))
  }

  #started(context: Context, { name, from, attributes = {} }: Station, kind: SpanKind): Span {
    return this.#tracer.startSpan(name, { kind, startTime: timeOf(from), attributes }, context)
  }
}

/** Seconds and nanoseconds: a number would be taken for one of `performance.now()` where it is small. */
function timeOf(ms: number): [seconds: number, nanos: number] {
  const seconds = Math.floor(ms / SECOND_MS)
  return [seconds, Math.round((ms - seconds * SECOND_MS) * 1e6)]
}

/** The conventions name a span by its method alone where there is no template of the URL. */
function methodName(request: Parameters<typeof methodOf>[0]): string {
  const method = methodOf(request)
  return method === '_OTHER' ? 'HTTP' : method
}

function errorOf(status: number | undefined, failure: Failure | undefined): string | undefined {
  if (failure !== undefined) return failure.message
  return status !== undefined && status >= FIRST_ERROR ? String(status) : undefined
}
