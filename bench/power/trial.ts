// Opens what a power cut left with the real store, looks at what it holds, and crawls on to the end.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@avocet/core/store'
import { openReader, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import { booksOf, wrongIn, type Books } from './books.ts'
import { crawled } from './crawled.ts'
import type { Image } from './images.ts'
import type { Recording } from './recording.ts'
import type { PowerWorld } from './world.ts'

/** What an image is tried against. */
export interface Trial {
  readonly world: PowerWorld
  readonly recording: Recording
  /** What a whole crawl without trouble leaves. */
  readonly expected: Books
  /** Each image in turn. */
  readonly folder: string
}

/** Later than anything that the recorded crawl waits for. */
const RESUMED_AT = Date.UTC(2026, 0, 2)
const ALL = 1_000_000

/** What is wrong with it; nothing where all is as it should be. */
export async function tryImage(image: Image, { world, recording, expected, folder }: Trial): Promise<string[]> {
  const [store, output] = [join(folder, 'image.db'), join(folder, 'out.jsonl')]
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(store, image.database)
  writeFileSync(`${store}-wal`, image.log)
  if (image.index !== undefined) writeFileSync(`${store}-shm`, image.index)
  writeFileSync(output, image.output)
  try {
    const wrong = image.promised === undefined ? [] : await missingIn(store, image, recording)
    const frontier = {
      frontier: (clock: Parameters<Parameters<typeof crawled>[1]['frontier']>[0]) =>
        sqlite(store, { clock, synchronous: recording.synchronous }),
    }
    const { report } = await crawled(world, { ...frontier, store, output, startAt: RESUMED_AT })
    if (report.ended !== 'done') wrong.push(`ended as ${report.ended}: ${report.error?.message ?? report.why}`)
    return [...wrong, ...(await wrongIn(store, { came: await booksOf(store, output), expected }))]
  } catch (error) {
    return [`threw: ${messageOf(error)}`]
  }
}

/** The store as it is found: sound, and with all that was promised. */
async function missingIn(store: string, { promised }: Image, { settled, items }: Recording): Promise<string[]> {
  if (promised === undefined) return []
  const { faults } = await verifyStore(store)
  const reader = await openReader(store)
  try {
    const there = new Set((await reader.requests({ limit: ALL })).flatMap(({ id, state }) => (state === 'waiting' ? [] : [id])))
    const written = new Set(
      (await reader.items({ afterSeq: 0, limit: ALL })).map(
        ({ requestId, ordinal }) => `${String(requestId)} ${String(ordinal)}`,
      ),
    )
    const { known } = await reader.counts()
    return [
      ...faults.map(({ message }) => `found unsound: ${message}`),
      ...settled
        .slice(0, promised.settled)
        .flatMap((id) => (there.has(id) ? [] : [`outcome of ${String(id)} was promised and is lost`])),
      ...items.slice(0, promised.items).flatMap((item) => (written.has(item) ? [] : [`item ${item} was promised and is lost`])),
      ...(known < promised.known ? [`${String(promised.known)} requests were promised, ${String(known)} are there`] : []),
    ]
  } finally {
    await reader.close()
  }
}
