// `avocet move`: takes a resting crawl along to another store, of any kind. The store that it comes from stays as it is.
//
// Outputs have other names beside another store (`outputName`), or each would be written again from its first item: their marks are renamed on the way, and
// what they had refused with them.
import { isDeepStrictEqual } from 'node:util'
import { AvocetError } from '@avocet/core'
import type { Counts, DumpRecord, FrontierReader } from '@avocet/core/store'
import { existingStore, localPlace, nameFrom, shownName, storeCalled } from '../load/store-path.ts'
import { outputName } from '../load/output-name.ts'
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { isFar, withCrawl } from '../store-kinds/store-address.ts'
import { storeKind } from '../store-kinds/store-kinds.ts'
import { commandLine } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { readStore } from './open-store.ts'
import { sinksAtRest } from './sinks-at-rest.ts'

/** What was typed. */
export interface MoveWish {
  readonly from: string
  readonly to: string
  readonly json: boolean
}

/** Progress is said of what takes longer. */
const QUIET_MS = 2_000

/** Throws AVO_USAGE where there is a store at `to`, AVO_FRONTIER_BUSY while anybody crawls in one of them, AVO_FRONTIER_…. */
export async function moveCommand({ from, to, json }: MoveWish, place: Place): Promise<void> {
  const source = await existingStore(place, from)
  await readStore(source, async (reader) => {
    const { name, liveProcesses } = await reader.info()
    if (liveProcesses > 0) throw busy(source, liveProcesses)
    const target = targetOf(to, name, place)
    const counts = await reader.counts()
    await copy({ reader, source, target, counts }, place)
    if (json) await writeDocument(place.stdout, { schema: 1, from: shownName(source), to: shownName(target), counts })
    else await print(place.stdout, linesOf({ source, target, name, counts }, place))
  })
}

/** The address; a server gets the crawl under its name. */
function targetOf(to: string, name: string, { folder }: Place): string {
  const called = storeCalled(folder, to)
  return isFar(called) ? withCrawl(called, name) : called
}

interface Move {
  readonly reader: FrontierReader
  readonly source: string
  readonly target: string
  readonly counts: Counts
}

/** What was made is removed again where it cannot be made whole. */
async function copy(move: Move, place: Place): Promise<void> {
  const { target } = move
  const kind = await storeKind(target)
  if (await kind.exists(target))
    throw new AvocetError(
      'AVO_USAGE',
      `move: expected no store at ${shownName(target)}, got one; name another, or remove it first`,
    )
  try {
    await fill(move, place)
  } catch (error) {
    await kind.remove(target).catch(() => undefined)
    throw error
  }
}

async function fill({ reader, source, target, counts }: Move, place: Place): Promise<void> {
  const dump = reader.dump?.()[Symbol.asyncIterator]()
  const first = await dump?.next()
  if (dump === undefined || first?.done !== false || first.value.type !== 'store') throw uncopied(source)
  const header = first.value
  const frontier = await (await storeKind(target)).frontier(target, {})
  await frontier.open(header, place.clock.now())
  try {
    if (frontier.load === undefined) throw uncopied(target)
    const names = await renamedOutputs(reader, source, target)
    await frontier.load(told(renamed(header, dump, names), counts, place))
    await assertSame(reader, { source, before: counts, copied: await frontier.reader.counts() })
  } finally {
    await frontier.close()
  }
}

/** Names of outputs there, by those here. */
async function renamedOutputs(reader: FrontierReader, source: string, target: string): Promise<ReadonlyMap<string, string>> {
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
    if (record.type === 'sink')
      yield { ...record, record: { ...record.record, name: names.get(record.record.name) ?? record.record.name } }
    else if (record.type === 'reject') yield { ...record, source: names.get(record.source) ?? record.source }
    else yield record
  }
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
async function assertSame(
  reader: FrontierReader,
  { source, before, copied }: { readonly source: string; readonly before: Counts; readonly copied: Counts },
): Promise<void> {
  const { liveProcesses } = await reader.info()
  if (liveProcesses > 0 || !isDeepStrictEqual(await reader.counts(), before)) throw busy(source, Math.max(1, liveProcesses))
  if (!isDeepStrictEqual(copied, before))
    throw new AvocetError(
      'AVO_INTERNAL',
      `move: expected the copy to have ${JSON.stringify(before)}, got ${JSON.stringify(copied)}; the copy was removed, please report this`,
    )
}

function busy(store: string, processes: number): AvocetError {
  const who = formatCountOf(processes, 'process does', 'processes do')
  return new AvocetError(
    'AVO_FRONTIER_BUSY',
    `move: expected nobody to work on ${shownName(store)}, but ${who}; stop ${processes === 1 ? 'it' : 'them'} first`,
  )
}

function uncopied(store: string): AvocetError {
  return new AvocetError('AVO_USAGE', `move: expected a store that can be copied, got ${shownName(store)}, whose kind cannot`)
}

function linesOf(
  {
    source,
    target,
    name,
    counts,
  }: { readonly source: string; readonly target: string; readonly name: string; readonly counts: Counts },
  { folder }: Place,
): string[] {
  const { known, items, hosts } = counts
  const moved = `${formatCountOf(known, 'URL')}, ${formatCountOf(items, 'item')}, ${formatCountOf(hosts, 'host')}`
  const [here, there] = [localPlace(folder, source), localPlace(folder, target)]
  const beside = here === there ? [] : [`kept responses and saved files stay beside ${printable(nameFrom(folder, here))}`]
  return [
    `${printable(nameFrom(folder, target))}: ${moved}; ${printable(nameFrom(folder, source))} is as it was`,
    ...beside,
    'to go on, on this machine and on others:',
    `  ${commandLine(['crawl', name, '--store', isFar(target) ? target : nameFrom(folder, target)])}`,
  ]
}
