// What the trace of a crawl tells while it runs: what went wrong, by kind, and which hosts are parked.
//
// A host that is parked is in no status: what was known of it as it was given back is kept here, so that a crawl of one dead host has something to say.
import type { Crawl } from '@avocet/core'
import { isRefusal, reasonOf, type Answered, type Settled, type TraceEvent } from '@avocet/core/plugin'
import type { HostNow } from './pace.ts'
import type { TroubleCount } from './scene.ts'

/** Hosts that are remembered; the first met are forgotten first. */
const MAX_HOSTS = 5_000
/** Kinds of trouble that are told apart. */
const MAX_KINDS = 100
/** A host that is due for so long and was not leased again is another process's business. */
const FORGOTTEN_MS = 60_000

/** A host that was given back with something waiting. */
interface ParkedHost {
  /** As it was then; its hold says what is waited for now. */
  readonly status: HostNow
  /** Epoch ms at which something of it can be asked for. */
  readonly dueAt: number
}

/** What was heard of a host. */
interface HostNote {
  parked: ParkedHost | undefined
  /** What waits there is not gone on with. */
  isGivenUp: boolean
  /** Why one of its requests was put off, the last time. */
  putOffFor: string | undefined
}

const KINDS = ['failed', 'handler-failed', 'released', 'retired', 'leased'] as const

/** Listens to one crawl. */
export class HostWatch {
  readonly #notes = new Map<string, HostNote>()
  readonly #failures = new Map<string, number>()
  readonly #troubles = new Map<string, number>()
  #refusals = 0

  constructor({ hooks: { onTrace, onResponse, onSettled } }: Pick<Crawl, 'hooks'>) {
    onTrace.tap({ name: 'view', kinds: KINDS }, (event: TraceEvent) => this.#heard(event))
    onResponse.tap({ name: 'view', seesRequired: true }, (answered) => this.#answered(answered))
    onSettled.tap('view', (settled) => this.#settled(settled))
  }

  /** Hosts that were given back with something waiting. */
  parked(now: number): readonly ParkedHost[] {
    return [...this.#notes.values()].flatMap(({ parked }) => (parked && parked.dueAt > now - FORGOTTEN_MS ? [parked] : []))
  }

  /** Answers that were refusals. */
  get refusals(): number {
    return this.#refusals
  }

  /** Reasons of requests that failed for good, most frequent first. */
  get failures(): readonly TroubleCount[] {
    return mostFirst(this.#failures)
  }

  /** Exchanges and handlers that went wrong, most frequent first. */
  get troubles(): readonly TroubleCount[] {
    return mostFirst(this.#troubles)
  }

  #note(hostKey: string): HostNote {
    const known = this.#notes.get(hostKey)
    if (known) return known
    const [oldest] = this.#notes.size < MAX_HOSTS ? [] : this.#notes.keys()
    if (oldest !== undefined) this.#notes.delete(oldest)
    const note = { parked: undefined, isGivenUp: false, putOffFor: undefined }
    this.#notes.set(hostKey, note)
    return note
  }

  #heard(event: TraceEvent): void {
    if (event.kind === 'failed') this.#failed(event)
    else if (event.kind === 'handler-failed') count(this.#troubles, reasonOf(event.failure.code))
    else if (event.kind === 'released') this.#released(event)
    else if (event.kind === 'retired') this.#note(event.hostKey).isGivenUp = true
    else if (event.kind === 'leased') {
      const note = this.#note(event.hostKey)
      note.parked = undefined
      note.isGivenUp = false
    }
  }

  #answered({ response }: Answered): void {
    if (!isRefusal(response.status)) return
    this.#refusals++
    count(this.#troubles, `refused (${response.status})`)
  }

  #failed({ exchange, failure }: EventOf<'failed'>): void {
    // No request fails with a robots.txt: without its name the reader would look for one.
    const of = exchange.required ? ` of ${new URL(exchange.request.url).pathname.slice(1)}` : ''
    count(this.#troubles, `${reasonOf(failure.code)}${of}`)
  }

  #settled({ request, outcome }: Settled): void {
    if (outcome.kind === 'failed') count(this.#failures, outcome.reason)
    else if (outcome.kind === 'retry') this.#note(request.hostKey).putOffFor = outcome.reason
  }

  #released({ hostKey, host, dueAt, at }: EventOf<'released'>): void {
    const note = this.#note(hostKey)
    if (note.isGivenUp || host.waiting === 0) return
    const { hold, ...status } = host
    const why = note.putOffFor === undefined ? 'not due yet' : `put off: ${note.putOffFor}`
    const own = hold ?? (dueAt > at ? { by: 'core', why, until: dueAt } : undefined)
    note.parked = { status: { ...status, ...(own && { hold: own }) }, dueAt }
  }
}

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>

function count(counts: Map<string, number>, kind: string): void {
  if (counts.has(kind) || counts.size < MAX_KINDS) counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

function mostFirst(counts: Map<string, number>): readonly TroubleCount[] {
  return [...counts].map(([kind, times]) => ({ kind, count: times })).sort((a, b) => b.count - a.count)
}
