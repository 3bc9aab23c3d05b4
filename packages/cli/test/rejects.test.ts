// What somebody sees whose schema refuses items: how many and why, and where they are.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReader } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileContent } from './file-content.ts'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-rejects-'))
  site = await smallSite(4)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

const QUICK = ['--rate', 'none'] as const
const STORE = '.avocet/teas.db'
/** Each test runs the command up to five times. */
const SEVERAL_RUNS = { timeout: 90_000 }

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

/** What is told, in lines that are not folded. */
const unfolded = ({ stdout, stderr }: CliRun): string => `${stdout}${stderr}`.replaceAll(/\n {4,}/g, ' ')

/** A spider of two items a page: the second is valid while `price` is at most `most`, and prices are the numbers of the pages. */
async function teas(most: number, line = ''): Promise<string> {
  await writeFile(
    join(folder, 'teas.ts'),
    `const validate = (item) => {
  ${line}
  if (item.price <= ${most}) return { value: { ...item, price: item.price * 100 } }
  return { issues: [{ message: \`at most ${most}, got "\${item.price}"\`, path: ['price'] }] }
}
export default {
  name: 'teas',
  seeds: ['${site.url}'],
  items: { '~standard': { version: 1, vendor: 'test', validate } },
  handlers: {
    *start(page) {
      yield* page.links()
      const n = Number(page.url.pathname.slice(1))
      yield { page: n, price: 0 }
      yield { page: n, price: n }
    },
  },
}
`,
  )
  return 'teas.ts'
}

async function stored(): Promise<{ items: string[]; rejects: number }> {
  const reader = await openReader(join(folder, STORE))
  const items = await reader.items({ afterSeq: 0, limit: 100 })
  const { rejects = 0 } = await reader.counts()
  await reader.close()
  return { items: items.map(({ json, ordinal }) => `${ordinal} ${json}`).sort(), rejects }
}

describe('a crawl whose schema refuses items', () => {
  it('says how many, why and where, and exits with 11 where they are more than --fail-over allows', async () => {
    const run = await avocet('crawl', await teas(1), ...QUICK)

    const told = unfolded(run)
    expect(told).toContain('6 items (2 refused by the schema)')
    expect(told).toContain(`2 × schema: price: at most 1, got "2", first at ${site.url}2`)
    expect(told).toContain('the schema refused 2 of 8 items in this run, more than --fail-over 10% allows')
    expect(told).toContain('correct the schema, the sink or the handlers, then run the same command again')
    expect(told).toMatch(/avocet rejects teas$/m)
    expect(run.code).toBe(11)
  })

  it('exits with 0 where they are few, and still says so', async () => {
    const run = await avocet('crawl', await teas(1), ...QUICK, '--fail-over', '25%')

    expect(run.code).toBe(0)
    expect(unfolded(run)).toContain('2 × schema: price')
  })

  it('that refuses everything has one line for it, not one for each item', async () => {
    const run = await avocet('crawl', await teas(-1), ...QUICK)

    expect(run.code).toBe(11)
    expect(unfolded(run).match(/price: at most/g)?.length).toBeLessThanOrEqual(2)
    expect(unfolded(run)).toContain('no items: the schema refused 8 items')
    expect(await stored()).toEqual({ items: [], rejects: 8 })
  })

  it('that throws fails the page with its line, and nothing is lost', async () => {
    const run = await avocet('crawl', await teas(9, 'if (item.page === 2) throw new TypeError("no such tea")'), ...QUICK)

    expect(unfolded(run)).toContain('1 × teas.ts:2:30 the schema of items threw no such tea')
    expect(await stored()).toMatchObject({ rejects: 0 })
    expect((await stored()).items).toHaveLength(6)
  })
})

describe('a sink that refuses items', SEVERAL_RUNS, () => {
  it('makes the run that it refused them in exit with 11, and no later one', async () => {
    await teas(9)
    const config = (filter: string): Promise<void> =>
      writeFile(
        join(folder, 'avocet.config.mjs'),
        `import spider from './teas.ts'
export default { spider, sinks: [{ name: 'table', filter: ${filter}, write: () => undefined }] }\n`,
      )
    await config('() => { throw new Error("no such column") }')
    const first = await avocet('crawl', ...QUICK)
    const next = await avocet('crawl', ...QUICK)

    expect(first.code).toBe(11)
    expect(unfolded(first)).toContain('sink table refused 8 of 8 items in this run, more than --fail-over 10% allows')
    expect(unfolded(first)).toMatch(/avocet rejects teas$/m)
    expect(next.code).toBe(0)
  })
})

describe('avocet status and report', SEVERAL_RUNS, () => {
  it('say what was set aside', async () => {
    await avocet('crawl', await teas(1), ...QUICK)
    await avocet('report', '--html', 'report.html')

    const { stdout } = await avocet('status')
    expect(stdout).toMatch(/^rejects {2}2 items set aside$/m)
    // Which of the two comes first is chance.
    expect(stdout).toMatch(/set aside 2 × schema: price: at most 1, got "[23]"/)
    expect(JSON.parse((await avocet('status', '--json')).stdout)).toMatchObject({
      state: 'finished',
      counts: { rejects: 2 },
      rejects: [{ count: 2 }],
    })
    expect((await avocet('report')).stdout).toContain('2 × schema: price: at most 1')
    const views = fileContent(await readFile(join(folder, 'report.html'), 'utf8'))
    expect(views['now ']).toMatchObject({ totals: { rejects: 2 } })
  })
})

describe('avocet rejects', SEVERAL_RUNS, () => {
  it('shows each with its source, page, reason and item', async () => {
    await avocet('crawl', await teas(2), ...QUICK)

    const { stdout, code } = await avocet('rejects')

    expect(code).toBe(0)
    expect(stdout).toContain(`schema  ${site.url}3  price: at most 2, got "3"\n  {"page":3,"price":3}\n`)
    expect(stdout).toContain('in the store: 1 reject')
  })

  it('goes by source, host and limit, and is a document with --json', async () => {
    await avocet('crawl', await teas(0), ...QUICK)
    const listed = async (...words: string[]): Promise<object[]> => {
      const { rejects } = JSON.parse((await avocet('rejects', '--json', ...words)).stdout) as { rejects: object[] }
      return rejects
    }

    expect(await listed('--source', 'schema', '--host', new URL(site.url).host)).toHaveLength(3)
    expect(await listed('--host', 'other.example')).toEqual([])
    const [first, ...others] = await listed('--limit', '2')
    expect(others).toHaveLength(1)
    expect(first).toMatchObject({
      source: 'schema',
      ordinal: 1,
      visit: 0,
      handler: 'start',
      item: { page: expect.any(Number) as number },
    })
    expect((await avocet('rejects', '--source', 'pg')).stdout).toContain('no matching rejects; in the store: 3 rejects')
  })

  it('says so where there are none', async () => {
    await avocet('crawl', await teas(9), ...QUICK)

    expect((await avocet('rejects')).stdout).toBe('no rejects: neither the schema nor a sink refused an item\n')
  })
})

describe('avocet parse', () => {
  it('shows what the schema makes of the items, and what it refuses', async () => {
    await teas(1)
    const words = ['parse', `${site.url}3`, '--spider', 'teas.ts', ...QUICK]

    const run = await avocet(...words)
    expect(run.stdout).toBe('{"page":3,"price":0}\n')
    expect(run.stderr).toContain('refused by the schema: price: at most 1, got "3"  {"page":3,"price":3}')
    expect(run.stderr).toContain('1 item refused by the schema')
    expect(JSON.parse((await avocet(...words, '--json')).stdout)).toMatchObject({
      counts: { items: 1, rejects: 1 },
      rejects: [{ item: { page: 3, price: 3 }, reason: 'price: at most 1, got "3"' }],
    })
  })
})
