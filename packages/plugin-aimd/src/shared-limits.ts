// Limits that many hosts share, such as that of a platform of shops: one pace over all of them, beside what the rate policy says of each.
//
// To a limit, all that its hosts are sent is one sequence of exchanges, so the law of a single host runs over it (aimd.ts), on a memory of the crawl.
// Admission joins: the latest moment counts. With `share`, a 429 of one host is one of the limit, and the rate policy of the host does not hear of it: 240
// hosts would each halve their own rate for a bucket that they emptied together. A 503 stays the host's: a shop in maintenance closes no other.
// Several processes: each takes the part of its hosts (process-part.ts), and one that joins others sends nothing under a limit until they have heard of it.
import { definePlugin, type HostOptions, type Json, type Plugin, type SharedLimit } from '@avocet/core'
import { isRefusal, patternsOf, type Admission, type Answered, type Exchange, type Session } from '@avocet/core/plugin'
import { ask, book, unbook } from './aimd.ts'
import { answered } from './answers.ts'
import { freshRateMemory, type PacedExchange, type PacedView, type RateMemory, rpsOf } from './host-memory.ts'
import { fixedRate } from './laws/fixed-rate.ts'
import { pausedTo } from './pace.ts'
import { processPart, type HostCount } from './process-part.ts'
import { limitsFor, rateSettings, type RateSettings } from './settings.ts'
import { Turns, type PaceNow } from './turns.ts'

const NAME = 'limits'

/** What `limits` of a configuration comes to. */
export interface SharedLimits {
  readonly plugin: Plugin
  /** A rate policy that does not hear of refusals that are those of a shared limit. */
  spared(policy: Plugin): Plugin
}

/** What is remembered of one limit. */
interface LimitMemory {
  rate: RateMemory
  /** Exchanges that were booked so far. */
  seq: number
  /** What this process has counted, while it is not alone. */
  counted?: HostCount
}

/** By the name of the limit. */
type LimitMemories = Record<string, LimitMemory>

interface Limit {
  /** Its first pattern. */
  readonly name: string
  readonly patterns: ReadonlySet<string>
  readonly shares: boolean
  readonly settings: RateSettings
  /** For a process alone, as options of a host. */
  readonly whole: HostOptions
}

/**
 * One pace for the hosts of each limit, under any rate policy. The limits were checked.
 *
 * @example
 * ```ts
 * sharedLimits([{ match: '*.shops.example', share: true, maxRps: 12 }]).plugin.name // 'limits'
 * ```
 */
export function sharedLimits(limits: readonly SharedLimit[]): SharedLimits {
  const all = limits.map(limitOf)
  const limitsOf = matching(all)
  const live = new LiveLimits()
  const plugin = definePlugin<undefined, LimitMemories>({
    name: NAME,
    outsideEffects: false,
    seesRequired: true,
    crawlMemory: () => ({}),
    merge: joined,
    async open(session, memories) {
      for (const name of Object.keys(memories)) if (all.every((limit) => limit.name !== name)) delete memories[name]
      await live.open(
        session,
        all.map((limit) => [limit, (memories[limit.name] ??= memoryOf(memories, limit))]),
      )
    },
    close: () => live.close(),
    admit(question, _host, memories) {
      for (const limit of limitsOf(question.host.key)) live.ask(question, limit, memoryOf(memories, limit))
    },
    onAdmit(exchange, _host, memories) {
      for (const limit of limitsOf(exchange.host.key)) live.book(exchange, limit, memoryOf(memories, limit))
    },
    onUnsent: (exchange) => live.over(exchange, (each, rate, { settings }) => unbook(each, rate, settings)),
    onError: ({ exchange }) => live.over(exchange, () => undefined),
    onResponse({ exchange, now, forbidden, ...answer }) {
      const response = heardOf(answer.response)
      live.over(exchange, (each, rate, { shares, settings }) => {
        if (shares && response !== undefined) answered({ exchange: each, response, now, forbidden }, rate, settings)
      })
    },
    explain({ host, now }, _host, memories) {
      const [limit] = limitsOf(host.key)
      return limit === undefined ? {} : live.explain(limit, memoryOf(memories, limit), now)
    },
  })
  const isOfLimit = ({ exchange, response: { status } }: Answered): boolean =>
    isRefusal(status) && status !== 503 && limitsOf(exchange.host.key).some(({ shares }) => shares)
  return {
    plugin,
    spared: (policy) => ({
      ...policy,
      onResponse: (answer, host, crawl) => void (isOfLimit(answer) || policy.onResponse?.(answer, host, crawl)),
    }),
  }
}

/** Of what hosts answer, a limit hears that a page came and that one is refused, with its Retry-After. All else is the host's own. */
function heardOf(response: Answered['response']): Answered['response'] | undefined {
  const { status, headers } = response
  if (status >= 400 && (!isRefusal(status) || status === 503)) return undefined
  return { ...response, headers: headers['retry-after'] === undefined ? {} : { 'retry-after': headers['retry-after'] } }
}

/** Without `share` it is a bound of ours, which no answer changes. */
function limitOf({ match, share = false, maxRps }: SharedLimit): Limit {
  const patterns = [match].flat()
  const bound = maxRps === undefined ? {} : { maxRps }
  const settings = rateSettings({ ...(!share && { law: fixedRate() }), ...bound, window: false })
  return {
    name: patterns[0] ?? '*',
    patterns: new Set(patterns),
    shares: share,
    settings: { ...settings, maxInFlight: Infinity },
    whole: { maxRps: settings.maxRps },
  }
}

/** Hosts whose limits are known: of a crawl of the whole web there is no end. */
const MOST_KNOWN = 10_000

function matching(limits: readonly Limit[]): (hostKey: string) => readonly Limit[] {
  const known = new Map<string, readonly Limit[]>()
  return (hostKey) => {
    const found = known.get(hostKey)
    if (found !== undefined) return found
    const matched = limits.filter((limit) => [...patternsOf(hostKey)].some((pattern) => limit.patterns.has(pattern)))
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(hostKey, matched)
    return matched
  }
}

function memoryOf(memories: LimitMemories, { name }: Limit): LimitMemory {
  return memories[name] ?? { rate: freshRateMemory(), seq: 0 }
}

/** What two processes left: of each limit the one that is paused longer, or was used later. */
function joined(a: LimitMemories, b: LimitMemories): LimitMemories {
  const later = ({ rate: { pace } }: LimitMemory, { rate: { pace: other } }: LimitMemory): boolean =>
    pace.pausedUntil > other.pausedUntil || (pace.pausedUntil === other.pausedUntil && pace.bookedAt >= other.bookedAt)
  const all = { ...a, ...b }
  for (const [name, memory] of Object.entries(a)) if (later(memory, all[name] ?? memory)) all[name] = memory
  return all
}

/** After a refusal, hosts wait for what others have in flight: the end of that has nobody ask them again. */
const HELD_AGAIN_MS = 200
/** How often each process counts its hosts; and how long one that joins others waits for all of them to have done so twice. */
const COUNTED_EVERY_MS = 5_000
const JOINS_AFTER_MS = 12_000

const NOT_BLOCKING = { inRow: 0, isSuspected: false, isCertain: false }

/** A limit as this process has it: what is in flight, and its part. */
class LiveLimits {
  readonly #bookings = new WeakMap<Exchange, [limit: Limit, memory: LimitMemory, seq: number][]>()
  readonly #rounds = new WeakMap<LimitMemory, { inFlight: number; readonly turns: Turns }>()
  /** What this process may take of a limit, while it is not alone. */
  readonly #parts = new Map<Limit, HostOptions>()
  #joinsAt = 0
  #next: Disposable | undefined

  async open(session: Session, all: readonly (readonly [Limit, LimitMemory])[]): Promise<void> {
    const { clock } = session
    const count = async (): Promise<void> => {
      this.#next = clock.at(clock.now() + COUNTED_EVERY_MS, () => void count())
      await this.#count(session, all).catch(() => undefined)
    }
    await count()
    if (this.#parts.size > 0) this.#joinsAt = clock.now() + JOINS_AFTER_MS
  }

  close(): void {
    this.#next?.[Symbol.dispose]()
  }

  ask(question: Admission, limit: Limit, memory: LimitMemory): void {
    const { now } = question
    const why = (words: string): string => `limit of ${limit.name}: ${words}`
    const turnAt = this.#round(memory).turns.at(question.host.key, this.#pace(limit, memory, now))
    if (turnAt > now) question.notBefore(turnAt, why('others have their turn first'))
    if (this.#joinsAt > now) question.notBefore(this.#joinsAt, why('other processes are to hear of this one'))
    const { holdUntil } = memory.rate.pace
    const asked = {
      now,
      host: this.#view(limit, memory),
      paces: (rps: number) => question.paces(rps),
      notBefore: (at: number, words: string) =>
        question.notBefore(at === holdUntil ? Math.min(at, now + HELD_AGAIN_MS) : at, why(words)),
      // No other number holds a host back: one that has nothing in flight would wait for the end of nothing.
      atMost: (n: number, words: string) => n === 0 && question.atMost(0, why(words)),
    }
    ask(asked, memory.rate, limit.settings)
  }

  book(exchange: Exchange, limit: Limit, memory: LimitMemory): void {
    const booking: [Limit, LimitMemory, number] = [limit, memory, ++memory.seq]
    this.#bookings.set(exchange, [...(this.#bookings.get(exchange) ?? []), booking])
    const { admittedAt: now, host } = exchange
    const round = this.#round(memory)
    round.inFlight++
    round.turns.took(host.key, this.#pace(limit, memory, now))
    book(this.#numbered(exchange, booking), memory.rate, limit.settings)
  }

  /** An exchange has ended: `end` hears of it as of one of each limit that it was under. */
  over(exchange: Exchange, end: (each: PacedExchange, rate: RateMemory, limit: Limit) => void): void {
    for (const booking of this.#bookings.get(exchange) ?? []) {
      const [limit, memory] = booking
      this.#round(memory).inFlight--
      end(this.#numbered(exchange, booking), memory.rate, limit)
    }
  }

  explain(limit: Limit, memory: LimitMemory, now: number): Readonly<Record<string, Json>> {
    const { pace, refusals, refusedAt, pausedFor = 'rest' } = memory.rate
    return {
      limit: limit.name,
      limitRps: Number(this.#rps(limit, memory, now).toPrecision(4)),
      ...(pace.pausedUntil > now && { pausedUntil: pace.pausedUntil, pausedFor }),
      ...(refusedAt !== undefined && { refusedAt, refusals }),
    }
  }

  #pace(limit: Limit, memory: LimitMemory, now: number): PaceNow {
    const rps = this.#rps(limit, memory, now)
    const { bookedAt, pausedUntil } = memory.rate.pace
    return { now, rps, dueAt: Math.max(bookedAt + 1_000 / rps, pausedUntil) }
  }

  #numbered(exchange: Exchange, [limit, memory, seq]: [Limit, LimitMemory, number]): PacedExchange {
    const { admittedAt, sentAt, required, request } = exchange
    const random = (salt: string): number => exchange.random(`limit ${salt}`)
    const host = this.#view(limit, memory)
    return { host, seq, admittedAt, ...(sentAt !== undefined && { sentAt }), required, request, random }
  }

  #view(limit: Limit, memory: LimitMemory): PacedView {
    const { inFlight } = this.#round(memory)
    return { seq: memory.seq, inFlight, lastStartAt: 0, lastEndAt: 0, blocking: NOT_BLOCKING, options: this.#part(limit) }
  }

  #round(memory: LimitMemory): { inFlight: number; readonly turns: Turns } {
    const round = this.#rounds.get(memory) ?? { inFlight: 0, turns: new Turns() }
    this.#rounds.set(memory, round)
    return round
  }

  /** Requests per second that this process may send now. */
  #rps(limit: Limit, { rate, seq }: LimitMemory, now: number): number {
    return rpsOf(rate, limit.settings, limitsFor(limit.settings, this.#part(limit)), { now, seq })
  }

  #part(limit: Limit): HostOptions {
    return this.#parts.get(limit) ?? limit.whole
  }

  /** Counts the hosts of this process, and takes the part of them. What cannot be read or written now is as it was. */
  async #count({ reader, clock, ...session }: Session, all: readonly (readonly [Limit, LimitMemory])[]): Promise<void> {
    const now = clock.now()
    for (const [limit, memory] of all) {
      const hosts = Math.max(1, this.#round(memory).turns.hosts({ now, rps: this.#rps(limit, memory, now) }))
      memory.counted = { hosts, countedAt: Math.round(now) }
    }
    const { liveProcesses: processes } = await reader.info()
    if (processes < 2) return this.#parts.clear()
    await session.save()
    const left = (await reader.info()).memories.flatMap((parts) => memoriesIn(parts[NAME]))
    for (const [limit, memory] of all) {
      const theirs = left.flatMap((memories) => memories[limit.name] ?? [])
      const counts = theirs.flatMap(({ counted }) => counted ?? [])
      const part = processPart(memory.counted?.hosts ?? 1, counts, { now, processes })
      this.#parts.set(limit, { maxRps: limit.settings.maxRps * part })
      if (limit.shares) heed(theirs, memory)
    }
  }
}

/** The plugin's part of what a process left; nothing where it cannot be read. */
function memoriesIn(text = 'null'): readonly LimitMemories[] {
  const saved = JSON.parse(text) as readonly [number, LimitMemories] | null
  return saved === null ? [] : [saved[1]]
}

/** What another process was asked to wait, this one waits too. */
function heed(theirs: readonly LimitMemory[], { rate }: LimitMemory): void {
  for (const { rate: other } of theirs) {
    if (other.pausedFor !== 'retry-after' || other.pace.pausedUntil <= rate.pace.pausedUntil) continue
    rate.pace = pausedTo(rate.pace, other.pace.pausedUntil)
    rate.pausedFor = 'retry-after'
  }
}
