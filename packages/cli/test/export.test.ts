// Output files hold every item exactly once, whatever happened to the process, the disk or the file in between.
import { chmod, mkdtemp, readFile, rm, stat, truncate, writeFile, appendFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@avocet/core/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DrivenSink } from './drive-sink.ts'
import { openOutputs } from '../src/export/outputs.ts'
import { itemStore, type ItemStore } from './item-store.ts'

let folder: string
let store: ItemStore
let said: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-export-'))
  store = await itemStore()
  said = []
})

afterEach(() => rm(folder, { recursive: true }))

/** One run of a crawl: it exports what is committed, and goes. */
async function run(name: string, mode: 'append' | 'overwrite' = 'overwrite'): Promise<string> {
  const [target] = await openOutputs([{ path: name, mode }], {
    folder,
    stdout: process.stdout,
    clock: systemClock(),
    storePath: join(folder, '.avocet', 'test.db'),
    say: (line) => said.push(line),
  })
  if (!target) throw new Error('no export')
  const driven = new DrivenSink(target, store.frontier)
  try {
    await driven.begin()
    await driven.catchUp()
  } finally {
    await target.close()
  }
  return readFile(join(folder, name), 'utf8')
}

describe('an exported file', () => {
  it('is JSON Lines by its ending, and grows behind what it has', async () => {
    await store.commit({ n: 1 }, { n: 2 })
    expect(await run('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')

    await store.commit({ n: 3 })
    expect(await run('out.jsonl')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n')
  })

  it('can be read by its owner alone, unless its owner wants otherwise', async () => {
    const before = process.umask(0)
    try {
      await run('new.jsonl')
      await writeFile(join(folder, 'old.jsonl'), '')
      await chmod(join(folder, 'old.jsonl'), 0o644)
      await run('old.jsonl')
    } finally {
      process.umask(before)
    }

    expect((await stat(join(folder, 'new.jsonl'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'old.jsonl'))).mode & 0o777).toBe(0o644)
  })

  it('has a line for each item, whatever ends a line in Unicode', async () => {
    const item = { text: 'a\u2028b\u2029c\u0085d\ne' }
    await store.commit(item)
    const text = await run('out.jsonl')

    expect(text).toBe('{"text":"a\\u2028b\\u2029c\\u0085d\\ne"}\n')
    expect(JSON.parse(text)).toEqual(item)
  })

  it('is a whole JSON array after every run', async () => {
    expect(await run('out.json')).toBe('[]\n')

    await store.commit({ n: 1 })
    expect(await run('out.json')).toBe('[\n{"n":1}\n]\n')

    await store.commit({ n: 2 }, { n: 3 })
    expect(await run('out.json')).toBe('[\n{"n":1},\n{"n":2},\n{"n":3}\n]\n')
  })

  it('holds items once even if a kill came between the write and its mark', async () => {
    await store.commit({ n: 1 })
    await run('out.jsonl')
    await appendFile(join(folder, 'out.jsonl'), '{"n":2}\n{"n":3')
    await store.commit({ n: 2 })

    expect(await run('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')
  })

  it('becomes a whole array again if a kill cut its end', async () => {
    await store.commit({ n: 1 })
    await run('out.json')
    const size = (await readFile(join(folder, 'out.json'))).length
    await truncate(join(folder, 'out.json'), size - 2)

    expect(await run('out.json')).toBe('[\n{"n":1}\n]\n')
  })

  it('is written anew, and says so, if somebody shortened or removed it', async () => {
    await store.commit({ n: 1 }, { n: 2 })
    await run('out.jsonl')
    await truncate(join(folder, 'out.jsonl'), 3)
    expect(await run('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')

    await rm(join(folder, 'out.jsonl'))
    expect(await run('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')
    const path = join(folder, 'out.jsonl')
    expect(said).toEqual([
      `${path} is shorter than before: writing it again from the first item`,
      `${path} is shorter than before: writing it again from the first item`,
    ])
  })

  it('keeps what it held before with -o, ends its last line, and never rewrites that part', async () => {
    await writeFile(join(folder, 'out.jsonl'), '{"old":1}')
    await store.commit({ n: 1 })
    expect(await run('out.jsonl', 'append')).toBe('{"old":1}\n{"n":1}\n')

    await truncate(join(folder, 'out.jsonl'), 10)
    await store.commit({ n: 2 })
    expect(await run('out.jsonl', 'append')).toBe('{"old":1}\n{"n":1}\n{"n":2}\n')
  })

  it('is emptied by -O the first time only', async () => {
    await writeFile(join(folder, 'out.jsonl'), '{"old":1}\n')
    await store.commit({ n: 1 })
    expect(await run('out.jsonl')).toBe('{"n":1}\n')

    await store.commit({ n: 2 })
    expect(await run('out.jsonl')).toBe('{"n":1}\n{"n":2}\n')
  })

  it('takes more items than are read at once', async () => {
    await store.commit(...Array.from({ length: 1_000 }, (_, n) => ({ n })))
    await store.commit({ n: 1_000 })

    expect(JSON.parse(await run('out.json'))).toEqual(Array.from({ length: 1_001 }, (_, n) => ({ n })))
  })
})

describe('a CSV file', () => {
  it('has the union of keys as columns, in order of first appearance', async () => {
    await store.commit({ name: 'a', price: 1.5 }, { price: 2, stock: true })
    expect(await run('out.csv')).toBe('name,price,stock\na,1.5,\n,2,true\n')
  })

  it('is written anew when a column appears later, once resumed too', async () => {
    await store.commit({ name: 'a' })
    await run('out.csv')
    await store.commit({ name: 'b' })
    await run('out.csv')
    await store.commit({ name: 'c', price: 3 })

    expect(await run('out.csv')).toBe('name,price\na,\nb,\nc,3\n')
  })

  it('reads a key back that has an apostrophe of its own in front of a formula', async () => {
    await store.commit({ "'=a": 1, '=a': 2 })
    await run('out.csv')
    await store.commit({ "'=a": 3, '=a': 4 })

    expect(await run('out.csv')).toBe("''=a,'=a\n1,2\n3,4\n")
  })

  it('keeps a byte order mark that is part of the first key', async () => {
    await store.commit({ '\ufeffn': 1 })
    await run('out.csv')
    await store.commit({ '\ufeffn': 2 })

    expect(await run('out.csv')).toBe('"\ufeffn"\n1\n2\n')
  })

  it('has one column for a key with half of a surrogate pair, also in a later run', async () => {
    await store.commit({ '\udc00': 1 })
    await run('out.csv')
    await store.commit({ '\udc00': 2 })

    expect(await run('out.csv')).toBe('\ufffd\n1\n2\n')
  })

  it('quotes as RFC 4180 does, and reads its own header back', async () => {
    await store.commit({ 'a "b", c': 'x\ny', d: 'p,q' })
    await run('out.csv')
    await store.commit({ d: '"', 'a "b", c': 'z' })

    expect(await run('out.csv')).toBe('"a ""b"", c",d\n"x\ny","p,q"\nz,""""\n')
  })

  it('defuses formulas in cells and in the header, and leaves numbers alone', async () => {
    await store.commit({ a: '=1+1', b: '+x', c: '-x', d: '@x', e: '\tx', f: -5, g: '＝x', '=key': 1 })
    await run('out.csv')
    await store.commit({ '=key': 2 })

    expect(await run('out.csv')).toBe("a,b,c,d,e,f,g,'=key\n'=1+1,'+x,'-x,'@x,'\tx,-5,'＝x,1\n,,,,,,,2\n")
  })

  it('writes no formula behind line ends, blanks or marks that a spreadsheet skips', async () => {
    await store.commit({ a: '\n=1+1', b: '\r\n@x', c: ' \t +x', d: '\ufeff\u200b-x', e: '\n5', f: ' fine', g: '\u00a0=x', h: '' })
    await run('out.csv')

    await store.commit({ a: 1 })
    const [, ...cells] = (await run('out.csv')).split(/,|(?<=h)\n/).slice(7)
    expect(cells.slice(0, 7)).toEqual([`"'\n=1+1"`, `"'\r\n@x"`, "' \t +x", "'\ufeff\u200b-x", `"'\n5"`, ' fine', "'\u00a0=x"])
  })

  it('writes nested values as JSON, and items that are no objects into one column', async () => {
    await store.commit({ tags: ['a', 'b'], none: null }, 7, 'text')
    expect(await run('out.csv')).toBe('tags,none,value\n"[""a"",""b""]",,\n,,7\n,,text\n')
  })

  it('takes no cell from the prototype', async () => {
    await store.commit({ toString: 'own', 'a.b': 1, __proto__: null }, { x: 1 })
    expect(await run('out.csv')).toBe('toString,a.b,x\nown,1,\n,,1\n')
  })

  it('goes by the header of a file that it appends to, and says what is left out', async () => {
    await writeFile(join(folder, 'out.csv'), 'price,name\n1,old\n')
    await store.commit({ name: 'new', price: 2, stock: 3 })
    await run('out.csv', 'append')
    await store.commit({ name: 'newer', price: 4 })

    expect(await run('out.csv', 'append')).toBe('price,name\n1,old\n2,new\n4,newer\n')
    expect(said).toEqual([
      "csv: 'stock' and all other new columns are left out: the existing header has no such column; use .jsonl, or -O for a new file",
    ])
  })
})

describe('an output', () => {
  it.each([
    ['missing/out.jsonl', 'AVO_OUTPUT_UNWRITABLE', /missing\/out\.jsonl: expected a file that can be written, got ENOENT/],
    ['.', 'AVO_USAGE', /expected a file ending in \.jsonl, \.ndjson, \.json, \.csv or - for standard output/],
    ['out.jsnl', 'AVO_USAGE', /out\.jsnl: expected a file ending in .* \(did you mean '\.jsonl'\?\)/],
    ['/proc/version.json', 'AVO_OUTPUT_UNWRITABLE', /expected a file that can be written, got E/],
  ])('%s is found out before anything begins', async (path, code, message) => {
    const opening = openOutputs([{ path, mode: 'overwrite' }], {
      folder,
      stdout: process.stdout,
      clock: systemClock(),
      say: () => undefined,
    })
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('cannot be named twice', async () => {
    const twice = [
      { path: 'a.jsonl', mode: 'append' },
      { path: './a.jsonl', mode: 'overwrite' },
    ] as const
    await expect(
      openOutputs(twice, { folder, stdout: process.stdout, clock: systemClock(), say: () => undefined }),
    ).rejects.toMatchObject({
      code: 'AVO_USAGE',
    })
  })

  it('cannot be a JSON array that held something before', async () => {
    await writeFile(join(folder, 'out.json'), '[1]\n')
    await expect(run('out.json', 'append')).rejects.toMatchObject({
      code: 'AVO_OUTPUT_UNWRITABLE',
      message: expect.stringContaining('use -O to overwrite it'),
    })
    expect(await readFile(join(folder, 'out.json'), 'utf8')).toBe('[1]\n')
  })
})

describe('the lock of an output', () => {
  it('is held while it is open, and taken from the dead', async () => {
    const place = { folder, stdout: process.stdout, clock: systemClock(), say: () => undefined }
    const lock = join(folder, 'out.jsonl.lock')
    // 1 lives on every machine; its start time is part of its name.
    const stat = await readFile('/proc/1/stat', 'utf8')
    await writeFile(lock, `1 ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`)
    await expect(openOutputs([{ path: 'out.jsonl', mode: 'append' }], place)).rejects.toThrow(
      'out.jsonl: expected no other writer, got process 1',
    )

    await writeFile(lock, '1 12345678901')
    await store.commit({ n: 1 })
    expect(await run('out.jsonl')).toBe('{"n":1}\n')
    await expect(readFile(lock)).rejects.toThrow('ENOENT')
  })
})
