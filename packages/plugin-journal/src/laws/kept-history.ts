// The history as a process keeps it: what it did itself, and what it goes on with of processes that are gone.
//
// What several processes keep is added up, so nothing may be there twice. A process that opens goes on with all that is gone, and where several open at
// once, each of them does. Hence what a process did has an id, and each says whose it has taken over: of two that have taken over the same, the one that
// has taken over more counts. A later one knows all that an earlier one knew, for only what was written drops what it was made of.
import { joinedSeries, seriesOf, seriesText, type SeriesAtRest } from './rate-series.ts'

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
export interface LeftHistory {
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
export function countedSeries(all: readonly KeptHistory[]): readonly SeriesAtRest[] {
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
