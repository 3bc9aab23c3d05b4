// Asks about hosts what `avocet why` asks: found rate, breaker, and what holds those that this process does not have in hand any more.
//
// Asked of their memory in the store, as of the last commit, since plugins' `explain` and `admit` are pure. An answer costs some 100 µs: so
// only a few are asked at a time, those that are shown.
import type { CrawlConfig, FrontierReader, Hold } from '@avocet/core'
import { foundRpsOf } from '../load/policies.ts'
import { given } from '../options/values.ts'
import { answerOf, type Answer } from '../why/answer.ts'

/** Hosts whose answers are kept. */
const MAX_ANSWERS = 2_000

/** Of a host that nobody holds, looked at for when they are due. */
const MAX_REQUESTS = 10

/** What is known of a host. */
export interface HostAnswer {
  /** Epoch ms of the question. */
  readonly askedAt: number
  readonly waiting: number
  readonly isGivenUp: boolean
  readonly foundRps?: number
  readonly breaker?: string
  /** The one that binds. */
  readonly hold?: Hold
}

/** Where the answers come from. */
export interface AnswerSource {
  readonly reader: FrontierReader
  readonly config: Partial<CrawlConfig>
}

/** Keeps the latest answer of each host. */
export class HostAnswers {
  readonly #source: AnswerSource
  readonly #answers = new Map<string, HostAnswer>()
  readonly #asked = new Set<string>()

  constructor(source: AnswerSource) {
    this.#source = source
  }

  /** The latest answer; undefined before the first. */
  answer(hostKey: string): HostAnswer | undefined {
    return this.#answers.get(hostKey)
  }

  /** Asks about a host that is not being asked about; the answer is there some time later. */
  async ask(hostKey: string, now: number): Promise<void> {
    if (this.#asked.has(hostKey)) return
    this.#asked.add(hostKey)
    try {
      const { reader, config } = this.#source
      const record = await reader.host(hostKey)
      if (record === undefined) return
      const answer = hostAnswer(await answerOf({ reader, config, record, now }))
      const isIdle = answer.hold === undefined && !record.held && answer.waiting > 0
      const hold = isIdle ? await this.#putOff(hostKey, now) : undefined
      this.#keep(hostKey, { ...answer, ...(hold && { hold }) })
    } catch {
      // A store that is closed or out of order is reported by the crawl itself.
    } finally {
      this.#asked.delete(hostKey)
    }
  }

  /** Nobody holds the host: then its requests are not due yet. Some of them are looked at, not all. */
  async #putOff(hostKey: string, now: number): Promise<Hold | undefined> {
    const requests = await this.#source.reader.requests({ state: 'waiting', hostKey, limit: MAX_REQUESTS })
    const [first] = requests.toSorted((a, b) => (a.notBefore ?? 0) - (b.notBefore ?? 0))
    if (first?.notBefore === undefined || first.notBefore <= now) return undefined
    return { by: 'core', why: first.reason === undefined ? 'not due yet' : `put off: ${first.reason}`, until: first.notBefore }
  }

  #keep(hostKey: string, answer: HostAnswer): void {
    this.#answers.delete(hostKey)
    this.#answers.set(hostKey, answer)
    const [oldest] = this.#answers.size > MAX_ANSWERS ? this.#answers.keys() : []
    if (oldest !== undefined) this.#answers.delete(oldest)
  }
}

/** Found rates and breakers have names by which they are known, whichever plugin learned them. */
function hostAnswer({ now, waiting, state, holds, values }: Answer): HostAnswer {
  const breaker = values['breaker']?.['state']
  const [hold] = holds
  return {
    askedAt: now,
    waiting,
    isGivenUp: state === 'given-up',
    ...given('foundRps', foundRpsOf(values)),
    ...(typeof breaker === 'string' && { breaker }),
    ...(hold && { hold: { ...hold, until: hold.until ?? Infinity } }),
  }
}
