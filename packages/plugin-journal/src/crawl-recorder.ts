// Writes down what a run does over time, all hosts together: told of each exchange, and asked for its text when the store has room for it.
import { createHash } from 'node:crypto'
import type { Exchange, FailureCode, Session, Settled } from '@avocet/core/plugin'
import { latencyBucket } from './laws/latency.ts'
import type { FailureGroup } from './laws/rate-bin.ts'
import { joinedSeries, RateSeries, type SeriesAtRest, seriesOf, seriesText } from './laws/rate-series.ts'
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

  /** A slot is free again, of an exchange that does not count. `now`: epoch ms; a moment in the past would count again what was in flight since then. */
  over(now: number = this.#clock.now()): void {
    this.#busyUntil(now)
    this.#inFlight = Math.max(0, this.#inFlight - 1)
  }

  /** An exchange that counts has ended, and its slot is free. */
  ended({ kind, wireBytes, firstByteMs }: EndedExchange, now: number = this.#clock.now(), code?: FailureCode): void {
    this.over(now)
    const bin = this.#series.at(now)
    bin.requests++
    bin.wireBytes += wireBytes
    if (kind === 'refused') bin.refusals++
    if (code !== undefined) bin.failures[GROUPS[code] ?? 'other']++
    if (firstByteMs === undefined) return
    const bucket = latencyBucket(firstByteMs)
    bin.latency[bucket] = (bin.latency[bucket] ?? 0) + 1
  }

  /** A unit was committed. */
  settled({ outcome, items, now }: Settled): void {
    this.#busyUntil(now)
    const bin = this.#series.at(now)
    if (outcome.kind === 'done') bin.pages++
    if (outcome.kind === 'retry') bin.retries++
    bin.items += items
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

// The history as a process keeps it: what it did itself, and what it goes on with of processes that are gone.
//
// What several processes keep is added up, so nothing may be there twice. A process that opens goes on with all that is gone, and where several open at
// once, each of them does. Hence what a process did has an id, and each says whose it has taken over: of two that have taken over the same, the one that
// has taken over more counts. A later one knows all that an earlier one knew, for only what was written drops what it was made of.

/** What one process keeps. */
export interface KeptHistory {
  /** Of what it did itself; empty where that is nothing yet. */
  readonly id: string
  readonly own: SeriesAtRest
  /** Ids of what it took over, the oldest first. */
  readonly takenOver: readonly string[]
  readonly past: SeriesAtRest
}

/** One that is there when a process opens. */
interface LeftHistory {
  readonly kept: KeptHistory
  /** What a running process keeps stays its own. */
  readonly isRunning: boolean
}

const VERSION = '1'

/** So many are known by their id: beyond that a process that ran all the while would be counted twice. */
const MAX_TAKEN_OVER = 256

/** As a text. */
export function historyText({ id, own, takenOver, past }: KeptHistory): string {
  return [VERSION, id, takenOver.join(','), seriesText(own), seriesText(past)].join('|')
}

/** Reads it; undefined where it is of another version. */
export function keptHistory(text: string): KeptHistory | undefined {
  const [version, id = '', takenOver = '', own = '', past = ''] = text.split('|')
  if (version !== VERSION) return undefined
  return { id, own: seriesOf(own), takenOver: takenOver === '' ? [] : takenOver.split(','), past: seriesOf(past) }
}

/** What a process goes on with; `now`: epoch ms. */
export function takenOverFrom(left: readonly LeftHistory[], now: number): Pick<KeptHistory, 'takenOver' | 'past'> {
  const gone = countedOf(left).filter(({ isRunning }) => !isRunning)
  return {
    takenOver: [...new Set(gone.flatMap(({ ids }) => ids))].slice(-MAX_TAKEN_OVER),
    past: joinedSeries(
      gone.map(({ series }) => series),
      now,
    ),
  }
}

/** Each series once, of all that processes keep. */
function countedSeries(all: readonly KeptHistory[]): readonly SeriesAtRest[] {
  return countedOf(all.map((kept) => ({ kept, isRunning: false }))).map(({ series }) => series)
}

interface Counted {
  readonly series: SeriesAtRest
  readonly ids: readonly string[]
  readonly isRunning: boolean
}

function countedOf(left: readonly LeftHistory[]): readonly Counted[] {
  const known = new Set<string>()
  const counted: Counted[] = []
  const take = (series: SeriesAtRest, ids: readonly string[], isRunning: boolean): void => {
    if (ids.length === 0 || ids.some((id) => known.has(id))) return
    for (const id of ids) known.add(id)
    counted.push({ series, ids, isRunning })
  }
  const byMost = left.toSorted((a, b) => b.kept.takenOver.length - a.kept.takenOver.length)
  for (const { kept, isRunning } of byMost) take(kept.past, kept.takenOver, isRunning)
  for (const { kept, isRunning } of byMost) take(kept.own, kept.id === '' ? [] : [kept.id], isRunning)
  return counted
}
