// Files of items on a crawl: which items, which columns, what becomes of an existing file, and who else may write it.
import { existsSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, spider, type CrawlReport, type Json } from 'avocet'
import type { Sink } from '@avocet/core/sink'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { csv, json, jsonl } from '../src/index.ts'

interface Tea {
  readonly name: string
  readonly price: number
  readonly note?: string
}

const TEAS: readonly Tea[] = [
  { name: 'Assam', price: 4 },
  { name: 'Gyokuro', price: 29, note: 'shaded' },
  { name: 'Sencha', price: 9 },
]

const model = siteModel({ seed: 'teas', hosts: [{ name: 'teas.test', pages: { kind: 'quotes', quotes: 3 } }] })
let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'avocet-files-'))))
afterEach(() => {
  // A file that is left open when its sink is collected ends the process.
  expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([])
  rmSync(folder, { recursive: true })
})

/** What this process holds; Linux. */
function openFiles(): string[] {
  const own = '/proc/self/fd'
  return readdirSync(own).flatMap((fd) => (existsSync(join(own, fd)) ? [readlinkSync(join(own, fd))] : []))
}

/** A crawl of one page that yields `items`. */
function run(sinks: readonly Sink<Tea>[], { items = TEAS, frontier = memoryFrontier() } = {}): Promise<CrawlReport> {
  const clock = new VirtualClock()
  const teas = spider({
    name: 'teas',
    seeds: model.seeds(),
    handlers: {
      *start() {
        yield* items
      },
    },
  })
  return clock.run(() =>
    crawl({ spider: teas, policies: [], sinks, frontier, clock, fetcher: simulatedWeb(model, { clock }) }).run(),
  )
}

function textOf(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

describe('files of items', () => {
  it('of CSV have formulas as they are with the option for it', async () => {
    const formula = { name: '=1+1', price: 1 }
    await run([csv(join(folder, 'raw.csv'), { formulas: true }), csv(join(folder, 'safe.csv'))], { items: [formula] })

    expect([textOf('raw.csv'), textOf('safe.csv')]).toEqual(['name,price\n=1+1,1\n', "name,price\n'=1+1,1\n"])
  })

  it('have what their filter lets through, several of them on one crawl', async () => {
    const cheap = jsonl<Tea>(join(folder, 'cheap.jsonl'), { filter: ({ value }) => value.price < 10 })

    const report = await run([cheap, json(join(folder, 'all.json')), csv(join(folder, 'all.csv'))])

    expect(report.sinks?.map(({ written }) => written)).toEqual([2, 3, 3])
    expect(textOf('cheap.jsonl')).toBe('{"name":"Assam","price":4}\n{"name":"Sencha","price":9}\n')
    expect(JSON.parse(textOf('all.json'))).toEqual(TEAS)
    expect(textOf('all.csv')).toBe('name,price,note\nAssam,4,\nGyokuro,29,shaded\nSencha,9,\n')
    expect(existsSync(join(folder, 'all.csv.lock'))).toBe(false)
  })

  it('replace what is there before the first run, or keep it, where they are told to', async () => {
    for (const name of ['new.jsonl', 'old.jsonl', 'new.json']) writeFileSync(join(folder, name), '"of before"\n')

    const modes = [
      jsonl<Tea>(join(folder, 'new.jsonl'), { mode: 'overwrite' }),
      jsonl<Tea>(join(folder, 'old.jsonl'), { mode: 'append' }),
      json<Tea>(join(folder, 'new.json'), { mode: 'overwrite' }),
    ]
    await run(modes, { items: TEAS.slice(0, 1) })

    expect(textOf('new.jsonl')).toBe('{"name":"Assam","price":4}\n')
    expect(JSON.parse(textOf('new.json'))).toEqual(TEAS.slice(0, 1))
    expect(textOf('old.jsonl')).toBe('"of before"\n{"name":"Assam","price":4}\n')
  })

  it('are refused, and left as they are, where another crawl has written them', async () => {
    const one = csv<Tea>(join(folder, 'teas.csv'))

    await run([one], { items: TEAS.slice(0, 1) })

    await expect(run([one], { items: TEAS.slice(1, 2) })).rejects.toMatchObject({
      code: 'AVO_OUTPUT_UNWRITABLE',
      message: `${join(folder, 'teas.csv')}: expected a new file, or one as this crawl left it, got one that another crawl or program wrote; move it away, name another file, or have it replaced with mode: 'overwrite'`,
    })
    expect(textOf('teas.csv')).toBe('name,price\nAssam,4\n')
  })

  it('begin anew with each store with `overwrite`, also where one sink serves two crawls', async () => {
    const one = csv<Tea>(join(folder, 'teas.csv'), { mode: 'overwrite' })

    await run([one], { items: TEAS.slice(1, 2) })
    await run([one], { items: TEAS.slice(0, 1) })

    expect(textOf('teas.csv')).toBe('name,price\nAssam,4\n')
  })

  it.each([
    [
      'was changed by others',
      '"of another crawl"\n"more"\n"and more"\n"and still more, so that it is not shorter"\n"…………………………………………………………"\n',
    ],
    ['is shorter than before', '"short"\n'],
    [
      'was written to by others',
      '{"name":"Assam","price":4}\n{"name":"Gyokuro","price":29,"note":"shaded"}\n{"name":"Sencha","price":9}\n"more"\n',
    ],
  ])('are refused, and left as they are, where another one %s', async (what, text) => {
    const frontier = memoryFrontier()
    const path = join(folder, 'teas.jsonl')
    await run([jsonl<Tea>(path, { name: 'teas' })], { frontier })
    const { mark } = (await frontier.sinks.get('teas')) ?? {}
    writeFileSync(path, text)

    await expect(deliver(jsonl<Tea>(path, { name: 'teas' }), mark?.state as never)).rejects.toThrow(`got one that ${what};`)
    expect(textOf('teas.jsonl')).toBe(text)
  })

  it('that were removed between two runs are written again', async () => {
    const path = join(folder, 'teas.jsonl')

    await deliver(jsonl<Tea>(path, { name: 'teas' }), {
      bytes: 60,
      end: { bytes: 60, hash: 'any', format: 'JSON Lines', isWhole: true },
    })

    expect(textOf('teas.jsonl').split('\n')).toHaveLength(4)
  })

  it('have one name by all relative spellings of their path', () => {
    expect(['teas.csv', './teas.csv', 'out/../teas.csv'].map((path) => csv(path).name)).toEqual(Array(3).fill('teas.csv'))
  })

  it('make their folder', async () => {
    await run([csv<Tea>(join(folder, 'new', 'out', 'teas.csv'))], { items: TEAS.slice(0, 1) })

    expect(textOf('new/out/teas.csv')).toBe('name,price\nAssam,4\n')
  })

  it('that are one file say so before a request, and nothing is written', async () => {
    const path = join(folder, 'teas.jsonl')
    const both = [jsonl<Tea>(path, { name: 'one' }), jsonl<Tea>(path, { name: 'two', mode: 'append' })]

    await expect(run(both)).rejects.toMatchObject({
      code: 'AVO_OUTPUT_UNWRITABLE',
      message: `${path}: expected one output or sink with this file, got two; leave one out`,
    })
  })

  it('that another process of the same crawl has are waited for, and those of another crawl are not', async () => {
    const path = join(folder, 'teas.jsonl')
    // 1 lives on every machine; its start time is part of its name.
    const stat = readFileSync('/proc/1/stat', 'utf8')
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    const opened = async (crawl: string): Promise<unknown> => {
      writeFileSync(`${path}.lock`, `1 ${started} ${crawl}`.trim())
      const sink = jsonl<Tea>(path, { name: 'teas' })
      return deliver(sink, { bytes: 0 }).catch((error: unknown) => error)
    }
    const taken = {
      code: 'AVO_OUTPUT_UNWRITABLE',
      message: `${path}: expected no other writer, got process 1; wait until it ends, or name another file`,
    }

    expect(await opened('one')).toMatchObject({ name: 'SinkElsewhere', cause: taken })
    expect(await opened('crawl')).toMatchObject({ name: 'SinkElsewhere', cause: taken })
    expect(await opened('two')).toMatchObject(taken)
    expect(await opened('')).toMatchObject(taken)
  })

  it('cannot be opened where no folder can be made, in one sentence', async () => {
    writeFileSync(join(folder, 'none'), '')
    const path = join(folder, 'none', 'teas.jsonl')

    await expect(run([jsonl<Tea>(path)])).rejects.toMatchObject({ code: 'AVO_OUTPUT_UNWRITABLE' })
  })
})

it('a file that was written in another format is written again from the first item', async () => {
  const path = join(folder, 'teas.txt')
  const frontier = memoryFrontier()
  await run([csv<Tea>(path, { name: 'teas' })], { frontier })
  const { mark } = (await frontier.sinks.get('teas')) ?? {}

  await deliver(jsonl<Tea>(path, { name: 'teas' }), mark?.state as never)

  expect(textOf('teas.txt').split('\n')).toHaveLength(4)
  expect(JSON.parse(textOf('teas.txt').split('\n')[0] ?? '')).toEqual(TEAS[0])
})

describe('columns of a CSV file', () => {
  it('that are chosen are the only ones, in their order', async () => {
    await run([csv<Tea & { origin?: string }>(join(folder, 'teas.csv'), { columns: ['price', 'name', 'origin'] })])

    expect(textOf('teas.csv')).toBe('price,name,origin\n4,Assam,\n29,Gyokuro,\n9,Sencha,\n')
  })

  it('that no item has do not compile, where the items have a type', () => {
    // @ts-expect-error Tea has no nmae
    csv<Tea>('teas.csv', { columns: ['nmae'] })
    csv('teas.csv', { columns: ['whatever'] })
  })

  it('that are chosen anew make the file be written again, with all items', async () => {
    const frontier = memoryFrontier()
    const path = join(folder, 'teas.csv')
    await run([csv<Tea>(path, { columns: ['name'], name: 'teas' })], { frontier })
    writeFileSync(join(folder, 'before.csv'), textOf('teas.csv'))

    const teas = csv<Tea>(path, { columns: ['name', 'price'], name: 'teas' })
    await deliver(teas, { bytes: Buffer.byteLength(textOf('teas.csv')) })

    expect(textOf('before.csv')).toBe('name\nAssam\nGyokuro\nSencha\n')
    expect(textOf('teas.csv')).toBe('name,price\nAssam,4\nGyokuro,29\nSencha,9\n')
  })

  it('are those of a file that is appended to, or it is left alone', async () => {
    const path = join(folder, 'teas.csv')
    writeFileSync(path, 'name,price\nPu-erh,12\n')

    await run([csv<Tea>(path, { mode: 'append', columns: ['name', 'price'] })], { items: TEAS.slice(0, 1) })
    expect(textOf('teas.csv')).toBe('name,price\nPu-erh,12\nAssam,4\n')

    await expect(run([csv<Tea>(path, { mode: 'append', columns: ['price'] })])).rejects.toMatchObject({
      code: 'AVO_OUTPUT_UNWRITABLE',
      message: 'expected a file with the columns price to append to, got one with name, price; name these, or another file',
    })
    expect(textOf('teas.csv')).toBe('name,price\nPu-erh,12\nAssam,4\n')
  })
})

/** Hands all teas over to a sink that has them, and follows it where it rewinds to. The last item is a new one. */
async function deliver(sink: Sink<Tea>, state: { readonly bytes: number; readonly end?: Json }): Promise<void> {
  const { signal } = new AbortController()
  const session = {
    crawl: { name: 'teas', id: 'one' },
    clock: new VirtualClock(),
    signal,
    keep: async () => {},
    problem: () => {},
    notice: () => {},
  }
  let at = await sink.open?.({ ...session, mark: { itemSeq: 2, state: { ...state, start: { itemSeq: 0, bytes: 0 } } } })
  for (let left = 3; left > 0 && (at?.itemSeq ?? 0) < 3; left--) {
    const from = at?.itemSeq ?? 0
    const items = TEAS.slice(from).map((value, n) => {
      const seq = from + n + 1
      return { key: `${seq}.0.0`, seq, url: 'https://teas.test/', json: JSON.stringify(value), value }
    })
    const written = (await sink.write({ items, mark: { itemSeq: 3 }, signal })) ?? undefined
    at = written?.rewind ?? written?.mark
  }
  await sink.close?.()
}

describe('options of files', () => {
  it.each([
    [() => jsonl(''), "expected a file for the path of jsonl, got ''"],
    [() => jsonl('x.jsonl', { mod: 'append' } as never), 'mod'],
    [() => jsonl('x.jsonl', { mode: 'replace' } as never), 'mode'],
    [() => json('x.json', { mode: 'append' } as never), 'mode'],
    [() => csv('x.csv', { columns: [] }), 'columns'],
    [() => csv('x.csv', { columns: ['a', 'a'] }), 'columns'],
    [() => csv('x.csv', { formulas: 'yes' } as never), 'formulas'],
  ])('are checked when the sink is made: %s', (make, named) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message: expect.stringContaining(named.split(' ')[0] ?? '') }),
    )
  })
})
