// `avocet changes`, `history` and `accept`: what changed of watched items, and what becomes of items that are held.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, spider } from 'avocet'
import type { ItemChange } from '@avocet/delivery'
import { sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'

const HOUR_MS = 3_600_000
const prices = { everyMs: HOUR_MS, ratio: 1 }
const pages = { kind: 'shop', products: 2, categories: 1, prices } as const

let made: string
let folder: string

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'avocet-made-'))
  await watch(join(made, '.avocet/shop.db'))
})
afterAll(() => rm(made, { recursive: true }))
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-changes-'))
  await cp(made, folder, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

/** Two shops of two products each, looked at four times in three hours; a plugin holds the items of the second. */
async function watch(store: string): Promise<void> {
  const clock = new VirtualClock({ startAt: Date.now() - 4 * HOUR_MS })
  const frontier = sqlite(store, { synchronous: 'normal' })
  const shop = spider({
    name: 'shop',
    seeds: ['http://a.test/', 'http://b.test/'],
    items: { key: 'sku', watch: ['price'] },
    handlers: {
      *start(page) {
        yield* page.links('a.category')
        yield* page.links('a.product', { handler: 'product' })
      },
      *product(page) {
        yield { sku: page.url.pathname, price: page.text('.price') ?? '' }
      },
    },
  })
  const holds = definePlugin({
    name: 'holds',
    onHandled(handled) {
      if (handled.failure === undefined && handled.host.key === 'b.test') handled.hold('odd')
    },
  })
  const model = siteModel({ seed: 'changes', hosts: ['a.test', 'b.test'].map((name) => ({ name, pages })) })
  const run = crawl({
    ...{ spider: shop, frontier, clock, plugins: [holds], policies: [], delayMs: 100 },
    ...{ fetcher: simulatedWeb(model, { clock }), recrawl: [{ everyMs: HOUR_MS, match: 'product' }], maxTimeMs: 3.5 * HOUR_MS },
  })
  await clock.run(() => run.run())
  await clock.run(frontier.close())
}

function documents({ stdout }: CliRun): readonly ItemChange[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ItemChange)
}

describe('avocet changes', () => {
  it('lists each change on a line, the oldest first, and of one item with --key or history', async () => {
    const all = documents(await avocet('changes', '--jsonl'))
    const [{ key } = { key: '' }] = all
    const { stdout, code } = await avocet('changes')
    const lines = stdout.trim().split('\n')

    expect(code).toBe(0)
    expect(lines).toHaveLength(all.length)
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}a\.test {2}\/\S+ {2}new: \S+/)
    expect(lines.at(-1)).toMatch(/ {2}\S.* -> \S/)
    const history = await avocet('changes', '--key', key, '--host', 'a.test', '--jsonl')
    expect(documents(history)).toEqual(all.filter((change) => change.key === key))
  })

  it('lists the last ones where there are more, and those of a time', async () => {
    const all = documents(await avocet('changes', '--jsonl'))
    const { stderr, ...last } = await avocet('changes', '--limit', '3', '--jsonl')

    expect(documents({ stderr, ...last })).toEqual(all.slice(-3))
    expect(stderr).toContain('the last 3 changes; --limit N shows more')
    const hour = await avocet('changes', '--since', '90m', '--json')
    const { more, changes } = JSON.parse(hour.stdout) as { readonly more: boolean; readonly changes: readonly ItemChange[] }
    expect([more, changes]).toEqual([false, all.filter(({ at }) => Date.parse(at) > Date.now() - 1.5 * HOUR_MS)])
  })

  it('says so where nothing changed, and where nothing matches', async () => {
    expect((await avocet('changes', '--host', 'b.test')).stderr).toContain('no matching changes; the last one of the store: ')
    expect((await avocet('changes', '--json', '--follow')).stderr).toContain('expected --json without --follow')
    expect((await avocet('changes', '--key', 'tea', '--host', 'a.tests')).stderr).toContain(
      "got 'a.tests' (did you mean 'a.test'?)",
    )
    expect((await avocet('changes', '--host', 'a.tset')).code).toBe(2)
  })
})

describe('avocet accept', () => {
  it('publishes what is held of a host, with its changes; status and rejects say how many wait for it', async () => {
    const held = await avocet('rejects')
    const status = await avocet('status')
    const accepted = await avocet('accept', 'b.test')

    expect(held.stdout).toMatch(/[68] items held; avocet accept HOST publishes those of a host/)
    expect(status.stdout).toMatch(/held +[68] items held/)
    expect(status.stdout).toMatch(/changes +the last one .* ago; avocet changes lists them/)
    expect(accepted.stdout).toMatch(/^b\.test: [68] held items published$/m)
    expect(documents(await avocet('changes', '--host', 'b.test', '--jsonl')).map(({ kind }) => kind)).toContain('changed')
    expect((await avocet('status')).stdout).not.toContain('held')
  })

  it('is what why of a page tells, with the reason and since when', async () => {
    const listed = JSON.parse((await avocet('rejects', '--json')).stdout) as {
      readonly rejects: readonly { readonly url: string }[]
    }
    const { url = '' } = listed.rejects[0] ?? {}

    expect((await avocet('why', url)).stdout).toMatch(/^ +held +[34] items, for [34] h.*: odd$/m)
    expect(JSON.parse((await avocet('why', url, '--json')).stdout)).toMatchObject({
      heldItems: expect.arrayContaining([expect.objectContaining({ url, reason: 'odd' })]) as unknown,
    })
    expect((await avocet('why', 'http://a.test/')).stdout).not.toMatch(/^ +held +\d/m)
  })

  it('is refused for a host that the store does not know', async () => {
    expect(await avocet('accept', 'c.test')).toMatchObject({ code: 2 })
  })
})
