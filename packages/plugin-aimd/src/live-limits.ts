// Limits as one process has them: what is in flight under each, whose turn it is, and what was learned of refusals.
import type { Json } from '@avocet/core'
import { isRefusal, type Admission, type Answered, type Exchange } from '@avocet/core/plugin'
import { ask, book } from './aimd.ts'
import { answered } from './answers.ts'
import { freshRateMemory, type PacedExchange, type PacedView, type RateMemory, rpsOf } from './host-memory.ts'
import type { HarmBudgetState } from './laws/harm-budget-state.ts'
import { hasRoom, type Limit, type LimitMemories, type LimitMemory, type LimitsOfHosts, memoryOf } from './limits-of-hosts.ts'
import { type HeardAnswer, Neighbours } from './neighbours.ts'
import { isNews } from './pace.ts'
import { ProcessParts } from './process-parts.ts'
import { limitsFor } from './settings.ts'
import { type PaceNow, Turns } from './turns.ts'

/** Of the requests between two looks at a limit: after so many a refusal is no surprise (laws/harm-budget-refusal.ts). */
const DUE = 0.4
/** Two measurements of one limiter are as near as this. */
const AGREE = 0.1
/** After a refusal, hosts wait for what others have in flight: the end of that has nobody ask them again. */
const HELD_AGAIN_MS = 200
/** How long the hosts of an address begin together. */
const OPENING_MS = 60_000

const NOT_BLOCKING = { inRow: 0, isSuspected: false, isCertain: false }

/** What this process sees of a limit. */
interface Round {
  inFlight: number
  readonly turns: Turns
  readonly neighbours: Neighbours
  /** Until when the hosts of an address begin together: epoch ms, 0 while there is one host. */
  opensUntil: number
}

/** The limits of a crawl. */
export class LiveLimits {
  readonly parts: ProcessParts
  readonly #bookings = new WeakMap<Exchange, [limit: Limit, memory: LimitMemory, seq: number][]>()
  readonly #rounds = new WeakMap<Limit, Round>()

  constructor(all: LimitsOfHosts) {
    this.parts = new ProcessParts(all, (limit, memory, now) =>
      this.#round(limit).turns.hosts({ now, rps: this.#rps(limit, memory, now) }),
    )
  }

  ask(question: Admission, limit: Limit, memories: LimitMemories): void {
    const { now } = question
    if (!this.#isPaced(limit, memories, now)) return
    const memory = memoryOf(memories, limit)
    const why = (words: string): string => `${limit.name}: ${words}`
    const pace = this.#pace(limit, memory, now)
    const turnAt = this.#round(limit).turns.at(question.host.key, pace)
    if (turnAt > now) question.notBefore(turnAt, why('its turn'))
    if (this.parts.joinsAt > now) question.notBefore(this.parts.joinsAt, why('other processes are to hear of this one'))
    const { holdUntil, pausedUntil } = memory.rate.pace
    // Most hosts ask while others have their turn, and the pace would let them go earlier.
    if (turnAt > now && turnAt >= pace.dueAt && Math.max(holdUntil, pausedUntil) <= now) return question.paces(pace.rps)
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

  book(exchange: Exchange, limit: Limit, memories: LimitMemories): void {
    const { admittedAt: now, host } = exchange
    if (!this.#isPaced(limit, memories, now)) return
    const memory = memoryOf(memories, limit)
    if (!limit.isLearned && hasRoom(memories, limit)) memories[limit.name] ??= memory
    const booking: [Limit, LimitMemory, number] = [limit, memory, ++memory.seq]
    this.#bookings.set(exchange, [...(this.#bookings.get(exchange) ?? []), booking])
    const round = this.#round(limit)
    round.inFlight++
    round.turns.took(host.key, this.#pace(limit, memory, now))
    book(this.#numbered(exchange, booking), memory.rate, limit.settings)
  }

  /** An exchange has ended: `end` hears of it as of one of each limit that it was under. */
  over(exchange: Exchange, end: (each: PacedExchange, rate: RateMemory, limit: Limit) => void): void {
    for (const booking of this.#bookings.get(exchange) ?? []) {
      const [limit, memory] = booking
      this.#round(limit).inFlight--
      end(this.#numbered(exchange, booking), memory.rate, limit)
    }
  }

  /** A host that is under `limits` has answered. */
  answered(answer: Answered, limits: readonly Limit[], memories: LimitMemories): void {
    const { exchange, now, forbidden } = answer
    const response = heardOf(answer)
    const isRefused = response !== undefined && isRefusal(response.status)
    for (const limit of limits) {
      if (limit.shares && response !== undefined)
        this.#learn(exchange.host.key, limit, { isRefused, isPage: !exchange.required, now }, memories)
      // Its first answer says where it is.
      if (!(this.#bookings.get(exchange) ?? []).some(([booked]) => booked === limit)) this.book(exchange, limit, memories)
    }
    this.over(exchange, (each, rate, limit) => {
      if (response === undefined || !(limit.shares || response.loads !== undefined)) return
      const { neighbours } = this.#round(limit)
      if (isRefused && ((limit.isLearned && memories[limit.name] === undefined) || neighbours.isOwn(exchange.host.key))) return
      // What this process takes of a limit beside others differs each time.
      const isJudged = limit.isLearned && isRefused && this.parts.isAlone && isNews(rate.pace, each.seq)
      const isNone = isJudged && neighbours.refused(agrees(rate, now), now)
      // How long to wait is between a host and us, as long as nobody said that its neighbours are behind the same limiter.
      const headers = limit.isLearned ? {} : response.headers
      if (isNone) delete memories[limit.name]
      else answered({ exchange: each, response: { ...response, headers }, now, forbidden }, rate, limit.settings)
    })
  }

  /** Whether an answer is a refusal of a limit that was said to be shared. */
  isOfLimit({ exchange, response: { status } }: Answered): boolean {
    if (!isRefusal(status) || status === 503) return false
    const bookings = this.#bookings.get(exchange) ?? []
    return bookings.some(([limit]) => limit.shares && !limit.isLearned && !this.#round(limit).neighbours.isOwn(exchange.host.key))
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

  /** One that is learned holds once refusals have coincided, and while its hosts are new: 240 that begin at once are a burst. */
  #isPaced(limit: Limit, memories: LimitMemories, now: number): boolean {
    if (!limit.isLearned || memories[limit.name] !== undefined) return true
    const round = this.#round(limit)
    if (limit.host === '' && round.opensUntil === 0) round.opensUntil = now + OPENING_MS
    return round.opensUntil > now
  }

  #learn(hostKey: string, limit: Limit, heard: HeardAnswer, memories: LimitMemories): void {
    const { isRefused, now } = heard
    const memory = memoryOf(memories, limit)
    const round = this.#round(limit)
    const { neighbours } = round
    neighbours.heard(hostKey, heard)
    if (limit.isLearned && neighbours.isUnconfirmedAt(now)) delete memories[limit.name]
    if (!limit.isLearned || memories[limit.name] !== undefined) return
    if (!isRefused || !neighbours.coincideAt(now) || !hasRoom(memories, limit)) return
    if (round.opensUntil <= now) {
      const { law } = limit.settings
      const startRps = Math.max(limit.settings.startRps, neighbours.rpsAt(now))
      Object.assign(memory.rate, freshRateMemory(), {
        law: law.name,
        rate: law.fresh({ ...limitsFor(limit.settings, limit.whole), startRps }),
      })
    }
    memories[limit.name] = memory
    neighbours.doubt(now)
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
    const { inFlight } = this.#round(limit)
    return { seq: memory.seq, inFlight, lastStartAt: 0, lastEndAt: 0, blocking: NOT_BLOCKING, options: this.parts.of(limit) }
  }

  #round(limit: Limit): Round {
    const round = this.#rounds.get(limit) ?? { inFlight: 0, turns: new Turns(), neighbours: new Neighbours(), opensUntil: 0 }
    this.#rounds.set(limit, round)
    return round
  }

  /** Requests per second that this process may send now. */
  #rps(limit: Limit, { rate, seq }: LimitMemory, now: number): number {
    return rpsOf(rate, limit.settings, limitsFor(limit.settings, this.parts.of(limit)), { now, seq })
  }
}

/** Of what hosts answer, a limit hears that there was an answer and that one is refused, with its Retry-After. All else is the host's own. */
function heardOf({ response, forbidden }: Answered): Answered['response'] | undefined {
  const { status, headers } = response
  if (forbidden || (status >= 500 && status !== 999)) return undefined
  const retryAfter = isRefusal(status) ? headers['retry-after'] : undefined
  return { ...response, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } }
}

/** Whether what was taken between two refusals is what was taken before: a limiter has one capacity. Undefined where nothing was measured before. */
function agrees({ rate }: RateMemory, now: number): boolean | undefined {
  const { knownRps, taken, sinceAt, accepted, interval } = rate as HarmBudgetState
  if (knownRps === 0) return undefined
  const change = Math.abs((taken * 1_000) / Math.max(1, now - sinceAt) / knownRps - 1)
  if (change > AGREE + 1 / Math.max(1, taken)) return false
  return accepted >= DUE * interval ? true : undefined
}
