// A resting store, copied row by row into one that does not exist yet, of any kind.
//
// Outputs have other names beside another store (`outputName`), or each would be written again from its first item: their marks are renamed on the way, and
// what they had refused with them. Both stores could go on with such a file then, which would have the items of both: the marks say that they are copies.
import { isDeepStrictEqual } from 'node:util'
import { AvocetError } from '@avocet/core'
import type { Counts, CrawlSpec, Frontier, SinkRecord } from '@avocet/core/store'
import { copiedMark } from '@avocet/sink-files/outputs'
import { shownName, outputName, readStore } from '@avocet/project/store'
import type { CopiedReader, CopiedRow, CopiedRows, Restoring, StoreKind } from '@avocet/project/store'
import { say, type Place } from '@avocet/project/place'
import { formatCount, formatCountOf } from '@avocet/project/text'
import { sinksAtRest } from './at-rest.ts'

/** Progress is said of what takes longer. */
const QUIET_MS = 2_000

/** What is copied, and where to. `counts`: the source's. */
export interface StoreCopy {
  readonly reader: CopiedReader
  readonly source: string
  readonly target: string
  readonly counts: Counts
}

/**
 * Throws AVO_USAGE where there is a store at `target`, AVO_FRONTIER_…. What was made is removed again where it cannot be made whole; what another one made
 * there meanwhile is left alone.
 */
export async function copyStore(copy: StoreCopy, kind: StoreKind, place: Place): Promise<void> {
  const { reader, target, counts } = copy
  const isMade = await isThere(target, kind)
  const names = await renamedOutputs(copy)
  const rows = reader.rows()
  try {
    const crawl = await rows.next()
    const [spec] = crawl.done === true ? [] : crawl.value.rows
    if (crawl.done === true || spec === undefined)
      throw new AvocetError('AVO_INTERNAL', 'move: expected rows of a crawl, got none')
    const copied = told(renamed(crawl.value, rows, names), counts, place)
    await copyInto(await kind.frontier(target, {}), { copy, spec: specOf(spec), rows: copied, kind, isMade }, place)
  } finally {
    // A store on a server is locked while it is read.
    await rows.return(undefined)
  }
}

/**
 * Whether there is a store already: one with nothing in it, as a move leaves that was killed at once. What one leaves that was killed later is removed.
 * Throws AVO_USAGE for any other.
 */
async function isThere(target: string, kind: StoreKind): Promise<boolean> {
  if (!(await kind.exists(target))) return false
  const counts = await readStore(target, (reader) => reader.counts()).catch(async (error: unknown) => {
    if (codeOf(error) === 'AVO_FRONTIER_UNFINISHED') await kind.remove(target)
    else if (codeOf(error) !== 'AVO_FRONTIER_MISSING') throw taken(target)
  })
  if (counts !== undefined && (counts.known > 0 || counts.items > 0)) throw taken(target)
  return counts !== undefined
}

function codeOf(error: unknown): string | undefined {
  return error instanceof AvocetError ? error.code : undefined
}

function specOf({ name, host_keying: hostKeying }: CopiedRow): CrawlSpec {
  return { name: String(name), hostKeying: String(hostKeying) }
}

/** What is copied into a store. */
interface CopyParts {
  readonly copy: StoreCopy
  readonly spec: CrawlSpec
  readonly rows: AsyncIterable<CopiedRows>
  readonly kind: StoreKind
  /** Its tables were there, with nothing in them. */
  readonly isMade: boolean
}

async function copyInto(
  frontier: Frontier & Restoring,
  { copy, spec, rows, kind, isMade }: CopyParts,
  place: Place,
): Promise<void> {
  const { target } = copy
  await frontier.open(spec, place.clock.now())
  let isOurs = false
  try {
    await assertNew(frontier, target)
    isOurs = !isMade
    await frontier.restore(rows)
    await assertSame(copy, await frontier.reader.counts())
  } catch (error) {
    await frontier.close()
    // Gone: another move has removed it, and made its own.
    if (isOurs && codeOf(error) !== 'AVO_FRONTIER_MISSING') await kind.remove(target).catch(() => undefined)
    throw error
  }
  await frontier.close()
}

/** Throws where another one made the store since we looked. */
async function assertNew({ reader }: Frontier, target: string): Promise<void> {
  const [{ liveProcesses }, { known, items }] = [await reader.info(), await reader.counts()]
  if (liveProcesses > 1 || known > 0 || items > 0) throw taken(target)
}

/** Names of outputs there, by those here. */
async function renamedOutputs({ reader, source, target }: StoreCopy): Promise<ReadonlyMap<string, string>> {
  const sinks = await sinksAtRest(reader, source)
  return new Map(sinks.flatMap(({ name, path }) => (path === undefined ? [] : [[name, outputName(path, target)]])))
}

async function* renamed(
  crawl: CopiedRows,
  rest: AsyncIterable<CopiedRows>,
  names: ReadonlyMap<string, string>,
): AsyncGenerator<CopiedRows> {
  yield crawl
  const nameOf = (name: unknown): string => names.get(String(name)) ?? String(name)
  for await (const { table, rows } of rest) {
    if (table === 'sink') yield { table, rows: rows.map((row) => copiedSink(row, nameOf)) }
    else if (table === 'reject') yield { table, rows: rows.map((row) => ({ ...row, source: nameOf(row['source']) })) }
    else yield { table, rows }
  }
}

/** Both stores would go on with a file: the copy is told that it is one. */
function copiedSink(row: CopiedRow, nameOf: (name: unknown) => string): CopiedRow {
  const record = JSON.parse(String(row['record'])) as SinkRecord
  const [name, { mark }] = [nameOf(record.name), record]
  return { ...row, name, record: JSON.stringify({ ...record, name, ...(mark && { mark: copiedMark(mark) }) }) }
}

/** Says how far it is. */
async function* told(
  copied: AsyncIterable<CopiedRows>,
  { known, items }: Counts,
  { clock, stderr }: Place,
): AsyncGenerator<CopiedRows> {
  let saidAt = clock.monotonic()
  const done: Partial<Record<CopiedRows['table'], number>> = {}
  for await (const some of copied) {
    done[some.table] = (done[some.table] ?? 0) + some.rows.length
    if (clock.monotonic() - saidAt >= QUIET_MS) {
      saidAt = clock.monotonic()
      const [urls, given] = [formatCount(done.request ?? 0), formatCount(done.item ?? 0)]
      say(stderr, `moved ${urls} of ${formatCountOf(known, 'URL')}, ${given} of ${formatCountOf(items, 'item')}`)
    }
    yield some
  }
}

/** Throws where somebody wrote to the store meanwhile, or something is missing in the copy. */
async function assertSame({ reader, source, counts: before }: StoreCopy, copied: Counts): Promise<void> {
  const { liveProcesses } = await reader.info()
  if (liveProcesses > 0 || !isDeepStrictEqual(await reader.counts(), before)) throw busyStore(source, Math.max(1, liveProcesses))
  if (!isDeepStrictEqual(copied, before))
    throw new AvocetError(
      'AVO_INTERNAL',
      `move: expected the copy to have ${JSON.stringify(before)}, got ${JSON.stringify(copied)}; the copy was removed, please report this`,
    )
}

/** AVO_FRONTIER_BUSY: who moves a store has it alone. */
export function busyStore(store: string, processes: number): AvocetError {
  const who = formatCountOf(processes, 'process does', 'processes do')
  return new AvocetError(
    'AVO_FRONTIER_BUSY',
    `move: expected nobody to work on ${shownName(store)}, but ${who}; stop ${processes === 1 ? 'it' : 'them'} first`,
  )
}

function taken(target: string): AvocetError {
  return new AvocetError(
    'AVO_USAGE',
    `move: expected no store at ${shownName(target)}, got one; name another, or remove it first`,
  )
}
