// Crawls that share a quota and do not know of each other, each as one of three contestants. All want as many pages as they can get, 8 at once.
//
// `avocet`: the rate policy itself, bound as the crawl binds it. `backoff`: a refused request waits by exponential backoff with full jitter (0.1 s to
// 2^n - 1 s, at most 30 to 34 s), and all else is sent at once. `atb`: the adaptive token bucket of arXiv 2510.04516 (Farkiani, Liu, Crowley) with the rules
// and constants that its authors published (Bfarkiani/ratelimiter): 40 tokens, 2/3 a second at first, times 1.2 at a success, halved and emptied at a
// refusal, at least 0.01. Backoff is theirs too. Neither reads Retry-After; theirs send one request at a time, which two of them never fill a quota with.
import type { ResponseHeaders } from '@avocet/core/plugin'
import { ask, book } from '../../packages/plugin-aimd/src/aimd.ts'
import { answered } from '../../packages/plugin-aimd/src/answers.ts'
import { freshRateMemory, type PacedExchange } from '../../packages/plugin-aimd/src/host-memory.ts'
import { rateSettings } from '../../packages/plugin-aimd/src/settings.ts'

/** What came back. */
interface Reply {
  readonly now: number
  /** As `send` returned it. */
  readonly ticket: Ticket
  readonly status: number
  readonly headers: ResponseHeaders
}

/** A request of a crawl. */
export interface Ticket {
  readonly sentAt: number
  /** Refusals of it before. */
  readonly refusals: number
}

/** A crawl that has always something to request. Epoch ms. */
export interface Crawl {
  /** When it wants to be asked again; Infinity = after the next answer; at or before `now` = sends now. */
  nextAt(now: number): number
  send(now: number): Ticket
  answered(reply: Reply): void
}

/** Makes one; `random` in [0, 1). */
export type Contestant = (random: () => number) => Crawl

const IN_FLIGHT = 8
const NOT_BLOCKING = { inRow: 0, isSuspected: false, isCertain: false }
const NO_BODY = new Uint8Array()

/** The default policy, in a crawl that allows its host so much. */
export function avocet(maxRps: number): Contestant {
  const settings = rateSettings({ maxRps, maxInFlight: IN_FLIGHT })
  return (random) => {
    const memory = freshRateMemory()
    const host = { seq: 0, inFlight: 0, lastStartAt: 0, lastEndAt: 0, blocking: NOT_BLOCKING, options: {} }
    return {
      nextAt(now) {
        let [at, most] = [0, Infinity]
        const question = {
          now,
          host,
          paces: () => undefined,
          notBefore: (moment: number) => void (at = Math.max(at, moment)),
          atMost: (n: number) => void (most = Math.min(most, n)),
        }
        ask(question, memory, settings)
        return at > now || host.inFlight < most ? at : Infinity
      },
      send(now) {
        host.seq++
        host.inFlight++
        host.lastStartAt = now
        const request = { attempts: 0 } as PacedExchange['request']
        const ticket = { host, seq: host.seq, admittedAt: now, sentAt: now, required: false, request, random, refusals: 0 }
        book(ticket, memory, settings)
        return ticket
      },
      answered({ now, ticket, status, headers }) {
        host.inFlight--
        host.lastEndAt = now
        const exchange = ticket as Ticket & PacedExchange
        const timings = { firstByteMs: now - ticket.sentAt, bodyMs: 0, reusedSocket: true }
        const response = { url: '', status, headers, body: NO_BODY, wireBytes: 0, timings }
        answered({ exchange, response, now, forbidden: false }, memory, settings)
      },
    }
  }
}

const LONGEST_BACKOFF_S = [30, 34] as const

/** Exponential backoff of each request. */
export const backoff: Contestant = (random) => {
  const longest = between(LONGEST_BACKOFF_S[0], LONGEST_BACKOFF_S[1], random())
  /** Requests that wait, and how often each was refused. */
  const waiting: { at: number; refusals: number }[] = Array.from({ length: IN_FLIGHT }, () => ({ at: 0, refusals: 0 }))
  return {
    nextAt: () => waiting.reduce((first, { at }) => Math.min(first, at), Infinity),
    send(now) {
      const next = waiting.findIndex(({ at }) => at <= now)
      const [request] = waiting.splice(next, 1)
      return { sentAt: now, refusals: request?.refusals ?? 0 }
    },
    answered({ now, ticket, status }) {
      const refusals = status === 200 ? 0 : ticket.refusals + 1
      const waitMs = refusals === 0 ? 0 : 1_000 * between(0.1, Math.min(2 ** refusals - 1, longest), random())
      waiting.push({ at: now + waitMs, refusals })
    },
  }
}

const ATB = { tokens: 40, startRps: 40 / 60, minRps: 0.01, step: 1.2, minStep: 0.01 }

/** The adaptive token bucket: refilled when it is used, and no faster than is asked. */
export const atb: Contestant = () => {
  let [rps, tokens, filledAt, inFlight] = [ATB.startRps, 1, 0, 0]
  const tokensAt = (now: number): number =>
    filledAt === 0 ? tokens : Math.min(ATB.tokens, tokens + ((now - filledAt) * rps) / 1_000)
  const fill = (now: number, spent: number): void => {
    tokens = Math.max(0, tokensAt(now) - spent)
    filledAt = now
  }
  return {
    nextAt(now) {
      if (inFlight >= IN_FLIGHT) return Infinity
      const lacks = Math.max(0, 1 - 1e-6 - tokensAt(now))
      return now + (1_000 * lacks) / rps
    },
    send(now) {
      fill(now, 1)
      inFlight++
      return { sentAt: now, refusals: 0 }
    },
    answered({ now, status }) {
      inFlight--
      fill(now, 0)
      rps = status === 200 ? Math.max(rps + ATB.minStep, ATB.step * rps) : Math.max(ATB.minRps, rps / 2)
      if (status !== 200) tokens = 0
    },
  }
}

function between(least: number, most: number, chance: number): number {
  return least + (most - least) * chance
}
