// Pages that go to another handler today: their items are those of that handler, once, and the store is as sound as before.
import { join } from 'node:path'
import { CANONICALISATION, fingerprintOf, systemClock, type CommitUnit, type NewRequest } from '@avocet/core/store'
import { adoptReplay, haveSameVisits, openReader, sqlite, type AdoptedPages } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'shop', canonicalisation: CANONICALISATION, hostKeying: 'host' }

let folder: ReturnType<typeof temporaryFolder>
let [path, replay, into] = ['', '', '']
beforeEach(() => {
  folder = temporaryFolder()
  ;[path, replay, into] = [join(folder.path, 'shop.db'), join(folder.path, 'shop.again'), join(folder.path, 'shop.copy')]
})
afterEach(() => folder.dispose())

/** What a handler got: its name, the path of the page, its items, and when the page was fetched (epoch ms). */
type Got = readonly [handler: string, path: string, items: readonly string[] | 'not-kept', at?: number]

function requestOf([handler, page]: Got): NewRequest {
  const url = `https://shop.example/${page}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler })
  return { fingerprint, hostKey: 'shop.example', url, handler, depth: 0, priority: 0 }
}

/** `createdAt`: of a new store, epoch ms. */
async function made(at: string, pages: readonly Got[], createdAt = 0): Promise<void> {
  const frontier = sqlite(at)
  await frontier.open(SPEC, createdAt)
  await frontier.add(pages.map(requestOf))
  const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 20_000 })
  for (const lease of leases) {
    const units = lease.requests.map(({ id, handler, url }): CommitUnit => {
      const [, , items = [], fetchedAt = 1_000] = pages.find((got) => got[0] === handler && url.endsWith(`/${got[1]}`)) ?? []
      const fetched = { at: fetchedAt, status: 200, durationMs: 1, wireBytes: 1 }
      if (items === 'not-kept')
        return { lease, requestId: id, outcome: { kind: 'failed', reason: 'not-kept' }, links: [], items: [] }
      const some = items.map((item) => ({ json: JSON.stringify(item) }))
      return { lease, requestId: id, outcome: { kind: 'done', fetched }, links: [], items: some }
    })
    await frontier.commit(units)
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  await frontier.close()
}

const adopt = (): Promise<AdoptedPages> =>
  adoptReplay({
    path,
    replay,
    into,
    clock: systemClock(),
    notKept: 'not-kept',
    crawlParts: [],
    today: { handlers: [], isInScope: () => true },
  })

/** Handlers and paths that the store knows, in order, and its items. */
async function contents(): Promise<{ pages: string[]; items: unknown[] }> {
  const reader = await openReader(into)
  try {
    const requests = await reader.requests({ limit: 9 })
    const items = await reader.items({ afterSeq: 0, limit: 9 })
    return {
      pages: requests.map(({ handler, url, state }) => `${handler} ${url.slice(20)} ${state}`),
      items: items.map(({ json }): unknown => JSON.parse(json)),
    }
  } finally {
    await reader.close()
  }
}

describe('a page whose handler has another name today', () => {
  it('has the items of that handler alone, and is known once', async () => {
    await made(path, [
      ['start', '', ['start of old']],
      ['offer', 'tea', ['tea of old']],
      ['offer', 'milk', ['milk of old']],
    ])
    await made(replay, [
      ['start', '', ['start']],
      ['product', 'tea', ['tea']],
      ['product', 'milk', 'not-kept'],
    ])

    expect(await adopt()).toEqual({ done: 2, outdated: 0 })

    expect(await contents()).toEqual({
      pages: ['start / done', 'product /tea done', 'product /milk done'],
      items: ['milk of old', 'start', 'tea'],
    })
    expect(audit(into)).toEqual([])
  })

  it('is found again under that name, and no more under the old one', async () => {
    await made(path, [['offer', 'tea', ['old']]])
    await made(replay, [['product', 'tea', ['new']]])
    await adopt()

    const store = sqlite(into)
    await store.open(SPEC, 0)
    const [again, other] = [
      await store.add([requestOf(['product', 'tea', []])]),
      await store.add([requestOf(['offer', 'tea', []])]),
    ]
    await store.close()

    expect([again, other]).toEqual([
      { added: 0, known: 1 },
      { added: 1, known: 0 },
    ])
    expect(audit(into)).toEqual([])
  })

  it('stays apart where two handlers get the page, each with its items', async () => {
    await made(path, [
      ['list', 'tea', ['list of old']],
      ['detail', 'tea', ['detail of old']],
    ])
    await made(replay, [
      ['list', 'tea', ['list']],
      ['offer', 'tea', ['offer']],
      ['prices', 'tea', ['prices']],
    ])

    await adopt()

    expect(await contents()).toEqual({
      pages: ['list /tea done', 'offer /tea done', 'prices /tea done'],
      items: ['list', 'offer', 'prices'],
    })
    expect(audit(into)).toEqual([])
  })

  it('keeps its items where its handler was removed, and another one gets the page as before', async () => {
    await made(path, [
      ['list', 'tea', ['list of old']],
      ['detail', 'tea', ['detail of old']],
    ])
    await made(replay, [['list', 'tea', ['list']]])

    await adopt()

    expect(await contents()).toEqual({ pages: ['list /tea done', 'detail /tea done'], items: ['detail of old', 'list'] })
  })

  it('may have swapped names with another one', async () => {
    await made(path, [
      ['a', 'tea', ['old tea']],
      ['b', 'milk', ['old milk']],
    ])
    await made(replay, [
      ['b', 'tea', ['tea']],
      ['a', 'milk', ['milk']],
    ])

    await adopt()

    expect(await contents()).toEqual({ pages: ['b /tea done', 'a /milk done'], items: ['tea', 'milk'] })
    expect(audit(into)).toEqual([])
  })

  it('is followed however many there are: 1,001, in three transactions', async () => {
    const paths = Array.from({ length: 1_001 }, (_, n) => `${n}`)
    const page = (handler: string, path: string): Got => [handler, path, [path]]
    await made(
      path,
      paths.map((each) => page('offer', each)),
    )
    await made(
      replay,
      paths.map((each) => page('product', each)),
    )

    expect(await adopt()).toEqual({ done: 1_001, outdated: 0 })

    const reader = await openReader(into)
    const [counts, handlers] = [await reader.counts(), (await reader.requests({ limit: 2_000 })).map(({ handler }) => handler)]
    await reader.close()
    expect(counts).toMatchObject({ known: 1_001, done: 1_001, items: 1_001 })
    expect(new Set(handlers)).toEqual(new Set(['product']))
  })
})

describe('a page that two handlers get', () => {
  it('has both run over the response of the last exchange, which is the only one that is kept', async () => {
    await made(path, [
      ['list', 'tea', ['list of old'], 1_000],
      ['detail', 'tea', ['detail of old'], 2_000],
    ])
    await made(replay, [
      ['list', 'tea', ['list'], 2_000],
      ['detail', 'tea', ['detail'], 2_000],
    ])

    expect(await adopt()).toEqual({ done: 2, outdated: 0 })

    expect((await contents()).items).toEqual(['list', 'detail'])
  })

  it('has neither run over a response that is of no visit of theirs', async () => {
    await made(path, [
      ['list', 'tea', ['list of old'], 1_000],
      ['detail', 'tea', ['detail of old'], 2_000],
    ])
    await made(replay, [
      ['list', 'tea', ['list'], 1_500],
      ['detail', 'tea', ['detail'], 1_500],
    ])

    expect(await adopt()).toEqual({ done: 0, outdated: 2 })

    expect((await contents()).items).toEqual(['list of old', 'detail of old'])
  })

  it('has neither run over a response that is older than its last visit, though it is of the other one', async () => {
    await made(path, [
      ['list', 'tea', ['list of old'], 2_000],
      ['detail', 'tea', ['detail of old'], 1_000],
    ])
    await made(replay, [
      ['list', 'tea', ['list'], 1_000],
      ['detail', 'tea', ['detail'], 1_000],
    ])

    expect(await adopt()).toEqual({ done: 1, outdated: 1 })

    expect((await contents()).items).toEqual(['list of old', 'detail'])
  })
})

describe('a store that adopted a replay', () => {
  it('has the visits of the store before, until a page is visited', async () => {
    await made(path, [['offer', 'tea', ['old']]])
    await made(replay, [['product', 'tea', ['new']]])
    await adopt()

    const adopted = await haveSameVisits(path, into)
    await made(into, [['product', 'milk', []]])

    expect([adopted, await haveSameVisits(path, into)]).toEqual([true, false])
  })

  it('has not those of a store that was made anew', async () => {
    const anew = join(folder.path, 'anew.db')
    await made(path, [['offer', 'tea', []]])
    await made(anew, [['offer', 'tea', []]], 5)

    expect(await haveSameVisits(path, anew)).toBe(false)
  })
})
