// Somebody removes, moves away, shortens or writes to an output file while a crawl writes it: no item is lost, and it is said.
import { appendFile, copyFile, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@avocet/core/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DrivenSink } from '../drive-sink.ts'
import { openOutputs } from '../../src/export/outputs.ts'
import { itemStore, type ItemStore } from '../item-store.ts'

let folder: string
let store: ItemStore
let said: string[]
let target: DrivenSink | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-changed-'))
  store = await itemStore()
  said = []
})

afterEach(async () => {
  await target?.close()
  target = undefined
  await rm(folder, { recursive: true, force: true })
})

/** Begins a run, in place of the one before, as after a kill. */
async function begun(name: string, mode: 'append' | 'overwrite' = 'overwrite'): Promise<DrivenSink> {
  await target?.close()
  const place = {
    folder,
    stdout: process.stdout,
    clock: systemClock(),
    storePath: join(folder, 'test.db'),
    say: (line: string) => void said.push(line),
  }
  const [opened] = await openOutputs([{ path: name, mode }], place)
  if (!opened) throw new Error('no export')
  target = new DrivenSink(opened, store.frontier)
  await target.begin()
  await target.catchUp()
  return target
}

const at = (name: string): string => join(folder, name)
const text = (name: string): Promise<string> => readFile(at(name), 'utf8')

describe('an output file that is changed while a crawl writes it', () => {
  it('is written again from its first item when it was removed, even if no item comes any more', async () => {
    await store.commit({ n: 1 }, { n: 2 })
    const output = await begun('out.jsonl')
    await rm(at('out.jsonl'))
    await output.catchUp()
    expect(await text('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')

    await store.commit({ n: 3 })
    await output.catchUp()
    expect(await text('out.jsonl')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n')
    expect(said).toEqual([`${at('out.jsonl')} was removed: writing it again from the first item`])
  })

  it.each([
    ['out.jsonl', '{"n":1}\n', '{"n":2}\n', '{"n":2}\n{"n":3}\n'],
    ['out.json', '[\n{"n":1}\n]\n', '[\n{"n":2}\n]\n', '[\n{"n":2},\n{"n":3}\n]\n'],
    ['out.csv', 'n\n1\n', 'n\n2\n', 'n\n2\n3\n'],
  ])('goes on in a new file when %s was moved away, also after a kill', async (name, old, first, second) => {
    await store.commit({ n: 1 })
    const output = await begun(name)
    await rename(at(name), at('rotated'))
    await store.commit({ n: 2 })
    await output.catchUp()
    expect([await text('rotated'), await text(name)]).toEqual([old, first])
    expect(said).toEqual([`${at(name)} was moved away: continuing in a new file`])

    await store.commit({ n: 3 })
    await begun(name)
    expect([await text('rotated'), await text(name)]).toEqual([old, second])
  })

  it('after a rotation is written again from the first item of the new file, and says from which one on', async () => {
    await store.commit({ n: 1 })
    const output = await begun('out.csv')
    await rename(at('out.csv'), at('rotated'))
    await store.commit({ n: 2 })
    await output.catchUp()
    await store.commit({ n: 3, extra: true })
    await output.catchUp()
    expect(await text('out.csv')).toBe('n,extra\n2,\n3,true\n')

    await rm(at('out.csv'))
    await begun('out.csv')
    expect(await text('out.csv')).toBe('n,extra\n2,\n3,true\n')
    expect(await text('rotated')).toBe('n\n1\n')
    expect(said.at(-1)).toBe(
      `${at('out.csv')} is shorter than before: writing it again from item 2 on, with which this file began; the items before are in the one that was moved away`,
    )
  })

  it('goes on behind what is already in the file that took its place', async () => {
    await store.commit({ n: 1 })
    const output = await begun('out.jsonl')
    await rename(at('out.jsonl'), at('rotated'))
    await writeFile(at('out.jsonl'), '{"header":1}')
    await store.commit({ n: 2 })
    await output.catchUp()

    expect(await text('out.jsonl')).toBe('{"header":1}\n{"n":2}\n')
  })

  it('is down while what took its place cannot be appended to, and no item is at fault', async () => {
    const output = await begun('out.json')
    await rename(at('out.json'), at('rotated'))
    await writeFile(at('out.json'), '{"mine":1}')

    await expect(output.catchUp()).rejects.toMatchObject({ name: 'SinkDown', cause: { code: 'AVO_OUTPUT_UNWRITABLE' } })
    expect(await text('out.json')).toBe('{"mine":1}')
  })

  it.each([
    ['out.jsonl', 0, '{"n":1}\n{"n":2}\n'],
    ['out.jsonl', 5, '{"n":1}\n{"n":2}\n'],
    ['out.csv', 1, 'n\n1\n2\n'],
    ['out.json', 4, '[\n{"n":1},\n{"n":2}\n]\n'],
  ])('%s that was cut to %d bytes holds every item and no NUL', async (name, bytes, whole) => {
    await store.commit({ n: 1 })
    const output = await begun(name)
    // As logrotate does with copytruncate.
    await copyFile(at(name), at('rotated'))
    await truncate(at(name), bytes)
    await store.commit({ n: 2 })
    await output.catchUp()

    expect(await text(name)).toBe(whole)
    expect(said).toEqual([`${at(name)} is shorter than before: writing it again from the first item`])
  })

  it('keeps what stood in it before the crawl when only items were cut off, and its header', async () => {
    await writeFile(at('out.csv'), 'n,name\n0,old\n')
    await store.commit({ n: 1 })
    const output = await begun('out.csv', 'append')
    await truncate(at('out.csv'), 14)
    await store.commit({ n: 2, extra: 1 })
    await output.catchUp()
    expect(await text('out.csv')).toBe('n,name\n0,old\n1,\n2,\n')

    await truncate(at('out.csv'), 13)
    await begun('out.csv', 'append')
    expect(await text('out.csv')).toBe('n,name\n0,old\n1,\n2,\n')
  })

  it('has a header of its own again when what stood before it is gone', async () => {
    await writeFile(at('out.csv'), 'n,name\n0,old\n')
    await store.commit({ n: 1 })
    const output = await begun('out.csv', 'append')
    await truncate(at('out.csv'), 0)
    await store.commit({ n: 2, extra: 1 })
    await output.catchUp()

    expect(await text('out.csv')).toBe('n,extra\n1,\n2,1\n')
  })

  it('loses what somebody else wrote behind the items, and no item', async () => {
    await store.commit({ n: 1 })
    const output = await begun('out.jsonl')
    await appendFile(at('out.jsonl'), 'a line of somebody else that is longer than an item\n')
    await store.commit({ n: 2 })
    await output.catchUp()

    expect(await text('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')
    expect(said).toEqual([`${at('out.jsonl')} was written to by another process: what follows the last item is cut off`])
  })

  it('is down while its folder is gone, and no item is at fault', async () => {
    await store.commit({ n: 1 })
    const output = await begun('out.jsonl')
    await rm(folder, { recursive: true })

    await expect(output.catchUp()).rejects.toMatchObject({ name: 'SinkDown', cause: { code: 'AVO_OUTPUT_UNWRITABLE' } })
  })
})
