// One sink in one line: how far it is, and what troubles it.
import { relative } from 'node:path'
import type { CrawlReport } from '@avocet/core'
import type { SinkStatus } from '@avocet/core/tools'
import { printable, formatCount, formatCountOf, formatMoment } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'

/** Longer than nearly every answer takes. */
const HANGS_MS = 5_000
/** Two batches of the usual size. */
const MANY_BEHIND = 512

/** A sink of a run, or of a store. */
export interface ToldSink extends SinkStatus {
  /** Of an output: its absolute path. */
  readonly path?: string
}

/** `offers.jsonl: 1,200 items, 30 behind; failing since …: disk full`. Paths are relative to `folder`. */
export function sinkLine(sink: ToldSink, folder?: string): string {
  const { written, behind, setAside, failingSince, error, elsewhere } = sink
  const counts = [
    countOf(sink, written),
    ...(behind > 0 ? [`${formatCount(behind)} behind`] : []),
    ...(setAside > 0 ? [`${formatCount(setAside)} set aside`] : []),
  ].join(', ')
  const since = failingSince === undefined ? '' : ` since ${formatMoment(failingSince)}`
  const trouble = error === undefined ? '' : `; failing${since}: ${printable(error)}`
  return `${sinkName(sink, folder)}: ${counts}${trouble}${elsewhere ? '; another process writes to it' : ''}`
}

function countOf({ changes }: Pick<SinkStatus, 'changes'>, count: number): string {
  return formatCountOf(count, changes ? 'change' : 'item')
}

/** Of an output, its path from `folder`; the store has it from its own. Without control characters. */
function sinkName({ name, path }: Pick<ToldSink, 'name' | 'path'>, folder?: string): string {
  if (path === undefined || folder === undefined) return printable(name)
  const from = relative(folder, path)
  return printable(from.startsWith('..') ? path : from)
}

/** `sinks: pg 30 items behind, failing for 3 min: connection refused; hook 12 items behind`; undefined: each has what it wants. */
export function lateSinksLine(sinks: readonly SinkStatus[], now: number): string | undefined {
  // A batch that fills up is no trouble.
  const late = sinks.filter((sink) => sink.error !== undefined || sink.behind >= MANY_BEHIND || hangs(sink, now))
  const parts = late.map((sink) => {
    const { name, behind, error, failingSince = now } = sink
    const failing =
      error === undefined ? '' : `, failing for ${formatDuration(Math.max(0, now - failingSince))}: ${printable(error)}`
    const hanging = hangs(sink, now) ? `, no answer for ${formatDuration(now - (sink.waitedSince ?? now))}` : ''
    return `${printable(name)} ${countOf(sink, behind)} behind${failing}${hanging}`
  })
  return parts.length === 0 ? undefined : `sinks: ${parts.join('; ')}`
}

function hangs({ waitedSince = Infinity }: SinkStatus, now: number): boolean {
  return now - waitedSince >= HANGS_MS
}

/** `hook (1,204 items) and pg (3 items)`. Undefined: none. */
export function behindInWords(sinks: readonly ToldSink[], folder?: string): string | undefined {
  const parts = sinks.map((sink) => `${sinkName(sink, folder)} (${countOf(sink, sink.behind)})`)
  const last = parts.pop()
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

/** Whether it lacks items, or may. */
export function isBehind({ behind, error }: Pick<SinkStatus, 'behind' | 'error'>): boolean {
  return behind > 0 || error !== undefined
}

/** Those that lack items at the end of a run, and are not written to by a process that goes on with the crawl: once that is over, nobody may write the rest. */
export function leftBehind<Told extends SinkStatus>({
  ended,
  sinks = [],
}: Pick<CrawlReport, 'ended'> & { readonly sinks?: readonly Told[] }): readonly Told[] {
  const isOver = ended === 'done' || ended === 'given-up'
  return sinks.filter((sink) => isBehind(sink) && (isOver || sink.elsewhere !== true))
}
