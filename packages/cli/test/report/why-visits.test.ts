// `avocet why URL`: visit by visit, what the crawl extracted from the page, and what changed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/why/answer.ts'
import { momentInWords, visitRows } from '../../src/visits/visits-in-words.ts'
import { urlVisits } from '../../src/visits/request-visits.ts'
import { runCli } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'
import { PAGE_URL, visitedStore } from '../visits/visited-store.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-why-visits-'))
  site = await smallSite(1)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await spiderYields('name: page.title, price: page.text("b")')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

async function spiderYields(fields: string): Promise<void> {
  const handler = `*start(page) { yield { ${fields} } }`
  await writeFile(join(folder, 'shop.js'), `export default { name: 'shop', seeds: ['${site.url}'], handlers: { ${handler} } }`)
}

/** One visit of the page, which shows this price. */
async function visit(price: string): Promise<void> {
  site.more = `<b>${price}</b>`
  const words = ['crawl', 'shop.js', '--rate', 'none', '--every', '1ms', '--max-pages', '1', '--cache']
  const run = await runCli(words, { folder })
  if (run.code !== 5) throw new Error(`expected a run that its limit ends, got: ${run.stderr}`)
}

async function why(...words: string[]): Promise<string> {
  return (await runCli(['why', site.url, 'shop', ...words], { folder })).stdout
}

const MOMENT = String.raw`(?:about |between )?\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: and .*)? UTC`

describe('avocet why of a page that was visited again', () => {
  it('tells what changed and when, the newest first, and folds what did not', async () => {
    for (const price of ['19.90', '19.90', '19.90', '17.90']) await visit(price)

    const lines = (await why()).split('\n')
    const from = lines.findIndex((line) => line.startsWith('  visits '))
    expect(lines.slice(from, from + 5).map((line) => line.replace(new RegExp(MOMENT), 'MOMENT'))).toEqual([
      '  visits            4',
      '  visit 4           MOMENT',
      '                    price: 19.90 -> 17.90',
      '  visits 2 to 3     no change',
      '  visit 1           MOMENT',
    ])

    const { requests, visits } = JSON.parse(await why('--json')) as Answer
    const fetchedAt = requests?.[0]?.fetchedAt ?? NaN
    expect(visits).toMatchObject([
      {
        ...{ requestId: 1, visits: 4, hasOlder: false, stamps: [] },
        lines: [
          {
            ...{ kind: 'changed', visit: 3, moment: { from: fetchedAt, to: fetchedAt } },
            items: [{ kind: 'changed', title: null, fields: [{ path: 'price', before: '19.90', after: '17.90' }], more: 0 }],
          },
          { kind: 'alike', first: 1, last: 2, same: 2, barren: 0 },
          { kind: 'oldest', visit: 0 },
        ],
        latest: {
          visit: 3,
          items: [
            {
              fields: [
                { path: 'name', after: 'page 0' },
                { path: 'price', after: '17.90' },
              ],
            },
          ],
        },
      },
    ])
  }, 30_000)

  it('shows texts of the site as texts', async () => {
    for (const price of ['1', '&#27;[2J\u202e2']) await visit(price)

    expect(await why()).toContain(String.raw`price: 1 -> \u{1b}[2J\u{202e}2`)
  }, 30_000)
})

describe('visits in words', () => {
  const rowsOf = async (visits: Parameters<typeof visitedStore>[0]): Promise<string[]> => {
    const { reader } = await visitedStore(visits)
    const [found] = await urlVisits(await reader.requests({ url: PAGE_URL }), {
      reader,
      bounds: { changes: 9, fields: 99 },
      now: 1e12,
    })
    return found === undefined ? [] : visitRows(found).map(([label, text]) => `${label}| ${text}`)
  }

  it('are none of a page that was visited once, or never', async () => {
    expect(await rowsOf([[{ price: 1 }]])).toEqual([])
    expect(await rowsOf([])).toEqual([])
  })

  it('say what is new and gone of a list, and which visits brought nothing', async () => {
    const [tea, milk, salt] = ['tea', 'milk', 'salt'].map((name, n) => ({ name, price: n + 1 }))
    const fetched = { at: 4 * 3_600_000, status: 304, durationMs: 1, wireBytes: 99 }
    const unchanged = { kind: 'done', reason: 'unchanged', fetched } as const
    const rows = await rowsOf([[tea, milk], [], [tea, milk], [salt, { ...tea, price: 7 }], unchanged])

    expect(rows).toEqual([
      'visits| 5',
      'visit 5| no items',
      'visit 4| 1970-01-01 03:00:00 UTC',
      '| tea price: 1 -> 7',
      '| new: salt (name salt, price 3)',
      '| gone: milk (name milk, price 2)',
      'visits 2 to 3| no change, 1 of them without items',
      'visit 1| when is not known',
    ])
  })

  it('name the fields that only say when the visit was', async () => {
    const seen = (n: number): object => ({ price: 1, seenAt: `2026-11-1${n}T14:00:00Z` })

    expect((await rowsOf([[seen(1)], [seen(2)], [seen(3)]])).at(-1)).toBe('| seenAt not compared: a later moment in each visit')
  })

  it.each([
    [null, 'when is not known'],
    [{ from: 0, to: 0 }, '1970-01-01 00:00:00 UTC'],
    [{ from: 3_600_000, to: 3_610_000 }, 'about 1970-01-01 01:00 UTC'],
    [{ from: 3_600_000, to: 7_200_000 }, 'between 1970-01-01 01:00 and 02:00 UTC'],
    [{ from: 0, to: 86_400_000 }, 'between 1970-01-01 00:00 and 1970-01-02 00:00 UTC'],
  ])('have a moment as exact as it is known: %o', (moment, words) => {
    expect(momentInWords(moment)).toBe(words)
  })
})
