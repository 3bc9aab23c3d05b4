// A resting store, copied record by record into one that does not exist yet, of any kind.
//
// Outputs have other names beside another store (`outputName`), or each would be written again from its first item: their marks are renamed on the way, and
// what they had refused with them. Both stores could go on with such a file then, which would have the items of both: the marks say that they are copies.
import { isDeepStrictEqual } from 'node:util'
import { AvocetError } from '@avocet/core'
import type { Counts, DumpedStore, DumpRecord, Frontier, FrontierReader, SinkRecord } from '@avocet/core/store'
import { copiedMark } from '@avocet/sink-files/outputs'
import { shownName } from '../load/store-path.ts'
import { outputName } from '../load/output-name.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import type { StoreKind } from '../store-kinds/store-kind.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { sinksAtRest } from './sinks-at-rest.ts'

/** Progress is said of what takes longer. */
const QUIET_MS = 2_000

/** What is copied, and where to. `counts`: the source's. */
export interface StoreCopy {
  readonly reader: FrontierReader
  readonly source: string
  readonly target: string
  readonly counts: Counts
}

/**
 * Throws AVO_USAGE where there is a store at `target`, AVO_FRONTIER_…. What was made is removed again where it cannot be made whole; what another one made
 * there meanwhile is left alone.
 */
export async function copyStore(copy: StoreCopy, kind: StoreKind, place: Place): Promise<void> {
  const { reader, source, target, counts } = copy
  if (await kind.exists(target)) throw taken(target)
  const names = await renamedOutputs(copy)
  const dump = reader.dump?.()[Symbol.asyncIterator]()
  if (dump === undefined) throw uncopied(source)
  try {
    const first = await dump.next()
    if (first.done === true || first.value.type !== 'store') throw uncopied(source)
    const records = told(renamed(first.value, dump, names), counts, place)
    await copyInto(await kind.frontier(target, {}), { copy, header: first.value, records, kind }, place)
  } finally {
    // A store on a server is locked while it is dumped.
    await dump.return?.()
  }
}

/** What is copied into a store. */
interface CopyParts {
  readonly copy: StoreCopy
  readonly header: DumpedStore
  readonly records: AsyncIterable<DumpRecord>
  readonly kind: StoreKind
}

async function copyInto(frontier: Frontier, { copy, header, records, kind }: CopyParts, place: Place): Promise<void> {
  const { target } = copy
  await frontier.open(header, place.clock.now())
  let isOurs = false
  try {
    await assertNew(frontier, target)
    isOurs = true
    await fill(copy, frontier, records)
  } catch (error) {
    await frontier.close()
    if (isOurs) await kind.remove(target).catch(() => undefined)
    throw error
  }
  await frontier.close()
}

/** Throws where another one made the store since we looked. */
async function assertNew({ reader }: Frontier, target: string): Promise<void> {
  const [{ liveProcesses }, { known, items }] = [await reader.info(), await reader.counts()]
  if (liveProcesses > 1 || known > 0 || items > 0) throw taken(target)
}

async function fill(copy: StoreCopy, frontier: Frontier, records: AsyncIterable<DumpRecord>): Promise<void> {
  if (frontier.load === undefined) throw uncopied(copy.target)
  await frontier.load(records)
  await assertSame(copy, await frontier.reader.counts())
}

/** Names of outputs there, by those here. */
async function renamedOutputs({ reader, source, target }: StoreCopy): Promise<ReadonlyMap<string, string>> {
  const sinks = await sinksAtRest(reader, source)
  return new Map(sinks.flatMap(({ name, path }) => (path === undefined ? [] : [[name, outputName(path, target)]])))
}

async function* renamed(
  header: DumpRecord,
  rest: AsyncIterator<DumpRecord>,
  names: ReadonlyMap<string, string>,
): AsyncGenerator<DumpRecord> {
  yield header
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    const record = next.value
    if (record.type === 'sink') yield { ...record, record: copiedRecord(record.record, names) }
    else if (record.type === 'reject') yield { ...record, source: names.get(record.source) ?? record.source }
    else yield record
  }
}

/** Both stores would go on with a file: the copy is told that it is one. */
function copiedRecord(record: SinkRecord, names: ReadonlyMap<string, string>): SinkRecord {
  const { name, mark } = record
  return { ...record, name: names.get(name) ?? name, ...(mark && { mark: copiedMark(mark) }) }
}

/** Says how far it is. */
async function* told(
  records: AsyncIterable<DumpRecord>,
  { known, items }: Counts,
  { clock, stderr }: Place,
): AsyncGenerator<DumpRecord> {
  let saidAt = clock.monotonic()
  const done = { request: 0, item: 0 }
  for await (const record of records) {
    if (record.type === 'request' || record.type === 'item') done[record.type]++
    if (clock.monotonic() - saidAt >= QUIET_MS) {
      saidAt = clock.monotonic()
      say(
        stderr,
        `moved ${formatCount(done.request)} of ${formatCountOf(known, 'URL')}, ${formatCount(done.item)} of ${formatCountOf(items, 'item')}`,
      )
    }
    yield record
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

function uncopied(store: string): AvocetError {
  return new AvocetError('AVO_USAGE', `move: expected a store that can be copied, got ${shownName(store)}, whose kind cannot`)
}
