// Somebody changes an output file between two runs: another crawl that writes to it, an editor, or a configuration that writes it in another format.
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@avocet/core/store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DrivenSink } from '../drive-sink.ts'
import { itemStore, type ItemStore } from '../item-store.ts'
import { openOutputs, type OutputSink } from '../../src/export/outputs.ts'

let folder: string
let store: ItemStore
let said: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-between-'))
  store = await itemStore()
  said = []
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)
const text = (name: string): Promise<string> => readFile(at(name), 'utf8')

async function opened(...outputs: readonly { path: string; mode: 'append' | 'overwrite' }[]): Promise<readonly OutputSink[]> {
  const say = (line: string): void => void said.push(line)
  return openOutputs(outputs, { folder, stdout: process.stdout, clock: systemClock(), storePath: at('test.db'), say })
}

/** A whole run: what is in the store is written, and the file is finished. */
async function run(name: string, mode: 'append' | 'overwrite' = 'overwrite', of: ItemStore = store): Promise<void> {
  const [sink] = await opened({ path: name, mode })
  if (!sink) throw new Error('no output')
  const driven = new DrivenSink(sink, of.frontier)
  await driven.begin()
  await driven.catchUp()
  await driven.close()
}

it('a file that another crawl has overwritten meanwhile is written again from the first item', async () => {
  const other = await itemStore()
  await store.commit({ n: 1 })
  await run('out.jsonl')
  await other.commit({ shop: 'another', price: 4 })
  await run('out.jsonl', 'overwrite', other)

  await store.commit({ n: 2 })
  await run('out.jsonl')

  expect(await text('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')
  expect(said).toEqual([`${at('out.jsonl')} was changed by others: writing it again from the first item`])
})

it('a table that a spreadsheet has saved in its own way is written again, and not cut in the middle of a line', async () => {
  await store.commit({ n: 1 }, { n: 2 })
  await run('out.csv')
  await writeFile(at('out.csv'), 'n\r\n1\r\n2\r\n')

  await store.commit({ n: 3 })
  await run('out.csv')

  expect(await text('out.csv')).toBe('n\n1\n2\n3\n')
})

it('two crawls that append to one file in turn keep what the other one has appended', async () => {
  const other = await itemStore()
  await store.commit({ n: 1 })
  await run('out.jsonl', 'append')
  await other.commit({ n: 101 })
  await run('out.jsonl', 'append', other)

  await store.commit({ n: 2 })
  await run('out.jsonl', 'append')
  await run('out.jsonl', 'append', other)
  await store.commit({ n: 3 })
  await run('out.jsonl', 'append')

  expect(await text('out.jsonl')).toBe('{"n":1}\n{"n":101}\n{"n":2}\n{"n":3}\n')
  expect(said).toEqual([])
})

it('an item that was written after a look at the end, and whose mark a kill took, is there once', async () => {
  const [sink] = await opened({ path: 'out.jsonl', mode: 'append' })
  if (!sink) throw new Error('no output')
  await store.commit({ n: 1 })
  let kills = false
  const { sinks } = store.frontier
  const keep = async (...kept: Parameters<typeof sinks.keep>): Promise<boolean> =>
    kills && (await text('out.jsonl')).includes('"n":2') ? Promise.reject(new Error('killed')) : sinks.keep(...kept)
  const driven = new DrivenSink(sink, { ...store.frontier, sinks: { ...sinks, keep } })
  await driven.begin()
  await driven.catchUp()
  await store.commit({ n: 2 })
  kills = true
  await expect(driven.catchUp()).rejects.toThrow('killed')
  await driven.close()

  await run('out.jsonl', 'append')

  expect(await text('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')
})

it('a file that is appended to keeps what others made of it, and has every item behind that', async () => {
  await store.commit({ n: 1 })
  await run('out.jsonl', 'append')
  await writeFile(at('out.jsonl'), '{"of": "somebody else"}\n')

  await store.commit({ n: 2 })
  await run('out.jsonl', 'append')

  expect(await text('out.jsonl')).toBe('{"of": "somebody else"}\n{"n":1}\n{"n":2}\n')
  expect(said).toEqual([
    `${at('out.jsonl')} was changed by others: writing its items again behind what it has, from the first item`,
  ])
})

it('a file that is appended to and was cut in the middle of its items is refused: the rest may be of another crawl', async () => {
  await store.commit({ n: 1 }, { n: 2 })
  await run('out.jsonl', 'append')
  await writeFile(at('out.jsonl'), '{"shop":"b"}\n')

  await expect(run('out.jsonl', 'append')).rejects.toMatchObject({
    code: 'AVO_OUTPUT_UNWRITABLE',
    message: expect.stringContaining('got one that is shorter than before; move it away') as string,
  })
  expect(await text('out.jsonl')).toBe('{"shop":"b"}\n')
})

it.each(['{"of":"another crawl"}\n', '[\n{"n":1}\n]\nmore'])('a .json file of others is never cut by -o: %j', async (content) => {
  await store.commit({ n: 1 })
  await run('out.json', 'append')
  await writeFile(at('out.json'), content)

  await expect(run('out.json', 'append')).rejects.toMatchObject({ code: 'AVO_OUTPUT_UNWRITABLE' })
  expect(await text('out.json')).toBe(content)
})

it('what somebody wrote behind the last item of a file that is overwritten is cut off, and this is said', async () => {
  await store.commit({ n: 1 })
  await run('out.jsonl')
  await writeFile(at('out.jsonl'), '{"n":1}\n{"n":1000}\n')

  await run('out.jsonl')

  expect(await text('out.jsonl')).toBe('{"n":1}\n')
  expect(said).toEqual([`${at('out.jsonl')} was written to by others: what follows the last item is cut off`])
})

it('two outputs that are one file by a link say so', async () => {
  await writeFile(at('out.jsonl'), '')
  await symlink(at('out.jsonl'), at('latest.jsonl'))

  await expect(
    opened({ path: 'out.jsonl', mode: 'overwrite' }, { path: 'latest.jsonl', mode: 'overwrite' }),
  ).rejects.toMatchObject({
    code: 'AVO_OUTPUT_UNWRITABLE',
    message: expect.stringContaining('one output or sink with this file'),
  })
})
