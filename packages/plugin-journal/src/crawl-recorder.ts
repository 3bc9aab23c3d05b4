// Writes down what a run does over time, all hosts together: told of each exchange, and asked for its text when the store has room for it.
import { createHash } from 'node:crypto'
import type { Exchange, FailureCode, Session, Settled } from '@avocet/core/plugin'
import { countedSeries, keptHistory, historyText, takenOverFrom, type KeptHistory } from './laws/kept-history.ts'
import { latencyBucket } from './laws/latency.ts'
import type { FailureGroup, RateBin } from './laws/rate-bin.ts'
import { joinedSeries, RateSeries, type SeriesAtRest } from './laws/rate-series.ts'
import type { EndedExchange } from './laws/timeline.ts'

/** Name of the text. */
const HISTORY_TEXT = 'journal history'

/** Nothing is in flight for longer: the machine slept, or its clock was put forward. */
const LONGEST_MS = 600_000
const STEP_MS = 10_000
/** What is out of reach is dropped so often. */
const TRIM_MS = 2 * 3_600_000
const ID_LENGTH = 10

const GROUPS: Partial<Readonly<Record<FailureCode, FailureGroup>>> = {
  AVO_DNS_NOT_FOUND: 'dns',
  AVO_DNS_FAILED: 'dns',
  AVO_CONNECT_TIMEOUT: 'connect',
  AVO_CONNECT_REFUSED: 'connect',
  AVO_UNREACHABLE: 'connect',
  AVO_CONNECT_FAILED: 'connect',
  AVO_TLS_CERTIFICATE: 'connect',
  AVO_TLS_INTERMEDIATE: 'connect',
  AVO_TLS_HTTP2_ONLY: 'connect',
  AVO_TLS_FAILED: 'connect',
  AVO_FIRST_BYTE_TIMEOUT: 'timeout',
  AVO_IDLE_TIMEOUT: 'timeout',
  AVO_TOTAL_TIMEOUT: 'timeout',
  AVO_TOO_SLOW: 'timeout',
}

/** The history that one run writes. */
export class CrawlRecorder {
  readonly #series = new RateSeries()
  readonly #clock: Session['clock']
  #past: Pick<KeptHistory, 'takenOver' | 'past'>
  #trimmedAt: number
  #id = ''
  #inFlight = 0
  /** Until when busy time is noted, epoch ms. */
  #notedAt = 0

  constructor({ clock, left, keep }: Pick<Session, 'clock' | 'left' | 'keep'>) {
    this.#clock = clock
    this.#trimmedAt = clock.now()
    const earlier = left(HISTORY_TEXT).flatMap(({ text, isRunning }) => {
      const kept = keptHistory(text)
      return kept === undefined ? [] : [{ kept, isRunning }]
    })
    this.#past = takenOverFrom(earlier, this.#trimmedAt)
    keep(HISTORY_TEXT, () => this.#text())
  }

  /** A slot is taken. */
  begun({ host, seq, admittedAt }: Exchange): void {
    // An exchange has its number once in a store, so no two processes have begun with the same one.
    if (this.#id === '') this.#id = createHash('sha256').update(`${host.key} ${seq}`).digest('base64url').slice(0, ID_LENGTH)
    this.#busyUntil(admittedAt)
    this.#inFlight++
  }

  /** A slot is free again, of an exchange that does not count. */
  over(): void {
    this.#busyUntil(this.#clock.now())
    this.#inFlight = Math.max(0, this.#inFlight - 1)
  }

  /** An exchange that counts has ended, and its slot is free. */
  ended({ kind, wireBytes, firstByteMs }: EndedExchange, code?: FailureCode): void {
    this.over()
    const bin = this.#now()
    bin.requests++
    bin.wireBytes += wireBytes
    if (kind === 'refused') bin.refusals++
    if (code !== undefined) bin.failures[GROUPS[code] ?? 'other']++
    if (firstByteMs === undefined) return
    const bucket = latencyBucket(firstByteMs)
    bin.latency[bucket] = (bin.latency[bucket] ?? 0) + 1
  }

  /** A turn was committed. */
  settled({ outcome, items }: Settled): void {
    this.#busyUntil(this.#clock.now())
    const bin = this.#now()
    if (outcome.kind === 'done') bin.pages++
    if (outcome.kind === 'retry') bin.retries++
    bin.items += items
  }

  #now(): RateBin {
    return this.#series.at(this.#clock.now())
  }

  /** A host that hangs has no ends for minutes, but it takes slots. */
  #busyUntil(now: number): void {
    const from = this.#notedAt
    this.#notedAt = now
    if (this.#inFlight === 0 || now <= from || now - from > LONGEST_MS) return
    for (let at = from; at < now;) {
      const end = Math.min(now, (Math.floor(at / STEP_MS) + 1) * STEP_MS)
      this.#series.at(at).busyMs += (end - at) * this.#inFlight
      at = end
    }
  }

  #text(): string | undefined {
    const now = this.#clock.now()
    if (this.#id === '' && this.#past.takenOver.length === 0) return undefined
    this.#busyUntil(now)
    if (Math.abs(now - this.#trimmedAt) >= TRIM_MS) {
      this.#trimmedAt = now
      this.#past = { ...this.#past, past: joinedSeries([this.#past.past], now) }
    }
    return historyText({ id: this.#id, own: this.#series.atRest, ...this.#past })
  }
}

/** Where processes left them: what `atRest` of @avocet/at-rest reads. */
export interface KeptTexts {
  /** Of each process that left one. */
  texts(name: string): readonly string[]
}

/** The histories that processes left in a store, each once. None where the journal was not part of the crawl. */
export function historiesIn(crawl: KeptTexts): readonly SeriesAtRest[] {
  return countedSeries(crawl.texts(HISTORY_TEXT).flatMap((text) => keptHistory(text) ?? []))
}
