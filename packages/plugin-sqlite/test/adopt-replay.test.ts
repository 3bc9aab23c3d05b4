// What handlers made of kept responses, in a copy of the store of a crawl: every total can be recounted, and what the replay does not know is as it was.
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CANONICALISATION, fingerprintOf, systemClock, type CommitUnit, type Frontier, type NewRequest } from '@avocet/core/store'
import { adoptReplay, openReader, sqlite, type AdoptedPages } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'shop', canonicalisation: CANONICALISATION, hostKeying: 'host' }
const FETCHED = { at: 1_000, status: 200, durationMs: 1, wireBytes: 1 }
const DONE = { kind: 'done', fetched: FETCHED } as const
const NOT_KEPT = { kind: 'failed', reason: 'not-kept' } as const
const BROKEN = {
  kind: 'failed',
  reason: 'handler-threw',
  failure: {
    code: 'AVO_HANDLER_THREW',
    blame: 'user',
    message: 'x',
    sent: true,
    wireBytes: 1,
    handlerError: { code: 'AVO_HANDLER_THREW', message: 'x' },
  },
  fetched: FETCHED,
} as const

let folder: ReturnType<typeof temporaryFolder>
let [path, replay, into] = ['', '', '']
beforeEach(() => {
  folder = temporaryFolder()
  ;[path, replay, into] = [join(folder.path, 'shop.db'), join(folder.path, 'shop.again'), join(folder.path, 'shop.copy')]
})
afterEach(() => folder.dispose())

function request(name: string, more: Partial<NewRequest> = {}): NewRequest {
  const url = `https://${name}`
  const { handler = 'start' } = more
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler })
  return { fingerprint, hostKey: new URL(url).host, url, handler, depth: 0, priority: 0, ...more }
}

type Turn = Partial<Pick<CommitUnit, 'outcome' | 'links' | 'memory' | 'crawlMemory' | 'records' | 'rejects'>> & {
  readonly items?: readonly unknown[]
}

/** Makes a store: `seeds` wait, and of what is leased, `turns` says what becomes of it, by the path of its URL. */
async function made(at: string, seeds: readonly NewRequest[], turns: Readonly<Record<string, Turn>>): Promise<void> {
  const frontier = sqlite(at)
  await frontier.open(SPEC, 0)
  await frontier.add(seeds)
  for (let more = true; more;) more = await turned(frontier, turns)
  await frontier.close()
}

async function turned(frontier: Frontier, turns: Readonly<Record<string, Turn>>): Promise<boolean> {
  const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 20 })
  let count = 0
  for (const lease of leases) {
    const units = lease.requests.flatMap(({ id, url }): CommitUnit[] => {
      const { items = [], ...turn } = turns[url.slice(8)] ?? {}
      if (turn.outcome === undefined) return []
      return [{ lease, requestId: id, links: [], items: items.map((item) => ({ json: JSON.stringify(item) })), ...turn }]
    })
    count += units.length
    const results = await frontier.commit(units)
    expect(results.filter(({ status }) => status !== 'committed')).toEqual([])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  return count > 0
}

const adopt = (): Promise<AdoptedPages> =>
  adoptReplay({
    path,
    replay,
    into,
    clock: systemClock(),
    notKept: 'not-kept',
    crawlParts: ['source'],
    today: { handlers: ['start'], isInScope: () => true },
  })

async function look<Answer>(work: (reader: Awaited<ReturnType<typeof openReader>>) => Promise<Answer>): Promise<Answer> {
  const reader = await openReader(into)
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

const itemsOf = async (): Promise<unknown[]> =>
  look(async (reader) => (await reader.items({ afterSeq: 0, limit: 99 })).map(({ json }): unknown => JSON.parse(json)))

const OLD = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => request(`shop.example/${name}`))
const OLD_TURNS: Readonly<Record<string, Turn>> = {
  'shop.example/a': {
    outcome: DONE,
    items: ['a1', 'a2'],
    memory: { rate: '[1,{"rps":3}]' },
    crawlMemory: { source: '"old"', core: '"names"' },
  },
  'shop.example/b': { outcome: DONE, items: ['b'] },
  'shop.example/c': { outcome: { kind: 'failed', reason: 'http-404', fetched: FETCHED } },
  'shop.example/d': { outcome: { kind: 'retry', at: 9_000_000, counted: true, reason: 'http-503' } },
  'shop.example/e': { outcome: BROKEN },
}

describe('a replay that a store adopts', () => {
  it('settles anew what is kept, and leaves all else as it was', async () => {
    await made(path, OLD, OLD_TURNS)
    await made(replay, [request('shop.example/a')], {
      'shop.example/a': {
        outcome: DONE,
        items: ['new a'],
        links: [...OLD, request('other.example/g')],
        memory: { rate: '[1,{}]' },
        crawlMemory: { source: '"new"', core: '"none"' },
      },
      'shop.example/b': { outcome: NOT_KEPT },
      'shop.example/c': { outcome: DONE, items: ['c, as it was once'] },
      'shop.example/d': { outcome: NOT_KEPT },
      'shop.example/e': { outcome: DONE, items: ['e'] },
      'shop.example/f': { outcome: NOT_KEPT },
      'other.example/g': { outcome: NOT_KEPT },
    })
    const before = readFileSync(path)

    expect(await adopt()).toEqual({ done: 2, outdated: 0 })

    expect(audit(into)).toEqual([])
    expect(await itemsOf()).toEqual(['b', 'new a', 'e'])
    expect(await look((reader) => reader.counts())).toMatchObject({
      known: 7,
      done: 3,
      failed: 1,
      waiting: 3,
      items: 3,
      hosts: 2,
    })
    expect(await look((reader) => reader.failures())).toEqual([{ reason: 'http-404', count: 1 }])
    expect(await look((reader) => reader.handlerErrors())).toEqual([])
    expect((await look((reader) => reader.host('shop.example')))?.memory).toEqual({ rate: '[1,{"rps":3}]' })
    expect(await look((reader) => reader.crawlMemories())).toEqual([{ core: '"names"' }, { source: '"new"' }])
    const [delayed] = await look((reader) => reader.history('https://shop.example/d'))
    expect(delayed).toMatchObject({ state: 'waiting', notBefore: 9_000_000 })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(statSync(into).mode & 0o777).toBe(0o600)
  })

  it('gives known requests the data that their links have today, and new ones their parent', async () => {
    await made(path, [request('shop.example/a'), request('shop.example/b', { dataJson: '1' })], {
      'shop.example/a': { outcome: DONE },
    })
    const links = [request('shop.example/b', { dataJson: '{"of":"tea"}' }), request('shop.example/g', { depth: 1 })]
    await made(replay, [request('shop.example/a')], {
      'shop.example/a': { outcome: DONE, links: links.map((link) => ({ ...link, parentId: 1 })) },
    })

    await adopt()

    expect(audit(into)).toEqual([])
    const store = sqlite(into)
    await store.open(SPEC, 0)
    const { leases } = await store.lease({ now: 0, hosts: 9, requestsPerHost: 9 })
    await store.close()
    expect(leases[0]?.requests).toMatchObject([
      { url: 'https://shop.example/b', handler: 'start', dataJson: '{"of":"tea"}' },
      { url: 'https://shop.example/g', handler: 'start', depth: 1, parent: 'https://shop.example/a' },
    ])
  })

  it('keeps the next visit of a page that is due again', async () => {
    const again = { at: 5_000_000, skipped: 0, etag: '"1"' }
    await made(path, [request('shop.example/a')], { 'shop.example/a': { outcome: { ...DONE, again }, items: ['old'] } })
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: BROKEN } })

    await adopt()

    expect(audit(into)).toEqual([])
    expect(await itemsOf()).toEqual([])
    expect(await look((reader) => reader.handlerErrors())).toMatchObject([{ count: 1, message: 'x' }])
    expect(await look((reader) => reader.history('https://shop.example/a'))).toMatchObject([
      { state: 'failed', notBefore: 5_000_000 },
    ])
  })

  it('keeps the items of earlier visits, whose responses are not kept', async () => {
    const visits = async (...outcomes: readonly Turn[]): Promise<void> => {
      for (const turn of outcomes)
        await made(path, [request('shop.example/a', { again: 0 })], { 'shop.example/a': { outcome: DONE, ...turn } })
    }
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: DONE, items: ['new'] } })
    const unchanged = { outcome: { ...DONE, reason: 'unchanged', fetched: { ...FETCHED, status: 304 } } } as const

    await visits({ items: ['monday 1', 'monday 2'] }, { items: ['tuesday 1', 'tuesday 2'] })
    await adopt()
    expect(audit(into)).toEqual([])
    expect(await itemsOf()).toEqual(['monday 1', 'monday 2', 'new'])

    await visits(unchanged, unchanged)
    await adopt()
    expect(audit(into)).toEqual([])
    expect(await itemsOf()).toEqual(['monday 1', 'monday 2', 'new'])
  })

  it('keeps the visit that was asked for of a page that waits to be read again for its links', async () => {
    const seeds = [request('shop.example/a', { again: 0 })]
    const cut = { budget: { kind: 'new-urls' }, of: 1_000, left: 950 } as const
    await made(path, seeds, { 'shop.example/a': { outcome: { ...DONE, cut }, items: ['old'] } })
    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    await frontier.reopen({ cut: true, limit: 9 })
    await frontier.add(seeds)
    await frontier.close()
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: DONE, items: ['new'] } })

    await adopt()

    expect(audit(into)).toEqual([])
    expect(await itemsOf()).toEqual(['new'])
    expect(await look((reader) => reader.history('https://shop.example/a'))).toMatchObject([
      { state: 'done', notBefore: 0, asked: { at: 0 } },
    ])
  })

  it('keeps the items of the visit before one that a handler failed on', async () => {
    for (const turn of [{ outcome: DONE, items: ['monday'] }, { outcome: BROKEN }])
      await made(path, [request('shop.example/a', { again: 0 })], { 'shop.example/a': turn })
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: DONE, items: ['tuesday'] } })

    await adopt()

    expect(audit(into)).toEqual([])
    expect(await itemsOf()).toEqual(['monday', 'tuesday'])
  })

  it('keeps the items of the last visit of a page of which only the response of an earlier visit is kept', async () => {
    const seeds = [request('shop.example/a', { again: 0 })]
    const visit = (at: number, items: readonly string[], more: object = {}): Promise<void> =>
      made(path, seeds, { 'shop.example/a': { outcome: { ...DONE, fetched: { ...FETCHED, at, ...more } }, items } })
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: DONE, items: ['new'] } })

    await visit(1_000, ['monday'])
    await visit(2_000, ['tuesday'])
    expect(await adopt()).toEqual({ done: 0, outdated: 1 })
    expect(await itemsOf()).toEqual(['monday', 'tuesday'])

    const unchanged = { ...DONE, reason: 'unchanged', fetched: { ...FETCHED, at: 3_000, status: 304 } } as const
    await made(path, seeds, { 'shop.example/a': { outcome: unchanged } })
    expect(await adopt()).toEqual({ done: 0, outdated: 1 })
    expect(await itemsOf()).toEqual(['monday', 'tuesday'])
    expect(audit(into)).toEqual([])
  })

  it('replaces the items of the visit that the kept response is of, whatever came after it without a page', async () => {
    const seeds = [request('shop.example/a', { again: 0 })]
    const after = (at: number, outcome: object): Promise<void> =>
      made(path, seeds, { 'shop.example/a': { outcome: { ...outcome, fetched: { ...FETCHED, at } } as typeof DONE } })
    await made(path, seeds, { 'shop.example/a': { outcome: { ...DONE, fetched: { ...FETCHED, at: 500 } }, items: ['monday'] } })
    await made(path, seeds, { 'shop.example/a': { outcome: DONE } })
    await after(2_000, { kind: 'done', reason: 'unchanged' })
    await after(3_000, { kind: 'retry', at: 9_000_000, counted: true, reason: 'http-503' })
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: DONE, items: ['tuesday'] } })

    expect(await adopt()).toEqual({ done: 1, outdated: 0 })

    expect(await itemsOf()).toEqual(['monday', 'tuesday'])
    expect(audit(into)).toEqual([])
  })

  it('replaces the items of a page that was read again for its links, though there were none in that reading', async () => {
    const cut = { budget: { kind: 'new-urls' }, of: 1_000, left: 950 } as const
    const again = { at: 5_000_000, skipped: 0 }
    await made(path, [request('shop.example/a')], { 'shop.example/a': { outcome: { ...DONE, cut, again }, items: ['old'] } })
    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    await frontier.reopen({ cut: true, limit: 9 })
    await frontier.close()
    const fetched = { ...FETCHED, at: 2_000 }
    await made(path, [], { 'shop.example/a': { outcome: { ...DONE, fetched, again } } })
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: { ...DONE, fetched }, items: ['new'] } })

    expect(await adopt()).toEqual({ done: 1, outdated: 0 })

    expect(await itemsOf()).toEqual(['new'])
    expect(audit(into)).toEqual([])
  })

  it('leaves a page waiting that was requested in vain after the response that is kept', async () => {
    const retry = { kind: 'retry', at: 9_000_000, counted: true, reason: 'http-503', fetched: { ...FETCHED, at: 2_000 } } as const
    await made(path, [request('shop.example/a')], { 'shop.example/a': { outcome: retry } })
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: DONE, items: ['new'] } })

    expect(await adopt()).toEqual({ done: 0, outdated: 0 })

    expect(await itemsOf()).toEqual([])
    expect(await look((reader) => reader.counts())).toMatchObject({ known: 1, done: 0, waiting: 1 })
  })

  it('can be made again from the same responses, also of pages that it settled first', async () => {
    await made(path, [request('shop.example/a')], {})
    await made(replay, [request('shop.example/a')], { 'shop.example/a': { outcome: DONE, items: ['first'] } })
    await adopt()
    const once = into
    into = join(folder.path, 'shop.second')
    rmSync(path)
    renameSync(once, path)

    expect(await adopt()).toEqual({ done: 1, outdated: 0 })

    expect(await itemsOf()).toEqual(['first'])
    expect(audit(into)).toEqual([])
  })

  it('has every output written anew from where it begins, and no item number twice', async () => {
    await made(path, OLD, OLD_TURNS)
    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    const start = { itemSeq: 0, bytes: 7 }
    await frontier.keepSink({ name: 'a.jsonl', written: 3, mark: { itemSeq: 3, state: { bytes: 30, start } } })
    await frontier.close()
    await made(replay, [request('shop.example/b')], { 'shop.example/b': { outcome: DONE, items: ['new b'] } })

    await adopt()

    const copy = sqlite(into)
    await copy.open(SPEC, 0)
    const [mark, items] = [await copy.sink('a.jsonl'), await copy.reader.items({ afterSeq: 0, limit: 9 })]
    await copy.close()
    expect(mark).toEqual({ name: 'a.jsonl', written: 0, mark: { itemSeq: 0, state: { bytes: 7, start } } })
    expect(items.map(({ seq, json }) => [seq, json])).toEqual([
      [1, '"a1"'],
      [2, '"a2"'],
      [4, '"new b"'],
    ])
  })

  it('takes over no memory and no error that is damaged, and the pages all the same', async () => {
    await made(path, OLD, OLD_TURNS)
    await made(replay, [request('shop.example/a'), request('shop.example/b')], {
      'shop.example/a': { outcome: DONE, items: ['new a'], crawlMemory: { source: '"new"' } },
      'shop.example/b': { outcome: BROKEN },
    })
    const db = new DatabaseSync(replay)
    db.exec(`UPDATE crawl_memory SET json = '"new'; UPDATE handler_error SET json = '{"code":'`)
    db.close()

    expect(await adopt()).toEqual({ done: 1, outdated: 0 })

    expect(audit(into)).toEqual([])
    expect(await look((reader) => reader.crawlMemories())).toEqual([{ source: '"old"', core: '"names"' }])
    expect(await itemsOf()).toEqual(['new a'])
    expect(await look((reader) => reader.failures())).toContainEqual({ reason: 'handler-threw', count: 2 })
  })

  it('of a crawl that names hosts in another way is refused', async () => {
    await made(path, OLD, OLD_TURNS)
    const other = sqlite(replay)
    await other.open({ ...SPEC, hostKeying: 'domain' }, 0)
    await other.close()

    await expect(adopt()).rejects.toMatchObject({ code: 'AVO_FRONTIER_SPEC' })
  })
})

describe('rejects of a page that handlers were run on again', () => {
  const refused = (ordinal: number, reason = 'price: missing') => ({ json: '{}', ordinal, reason, at: 1 })

  it('are replaced with those that the schema of today refuses, and its items have their places', async () => {
    await made(path, [request('a.example/1'), request('a.example/2')], {
      'a.example/1': { outcome: DONE, items: ['kept', 'written'], rejects: [refused(2), refused(3)] },
      'a.example/2': { outcome: DONE, rejects: [refused(0)] },
    })
    const before = sqlite(path)
    await before.open(SPEC, 0)
    await before.setAside([{ source: 'pg', requestId: 1, visit: 0, ordinal: 1, reason: 'too long', at: 1 }])
    await before.close()
    await made(replay, [request('a.example/1'), request('a.example/2')], {
      'a.example/1': { outcome: DONE, items: ['a', 'b', 'c'], rejects: [refused(3, 'name: empty')] },
      'a.example/2': { outcome: NOT_KEPT },
    })

    await adopt()

    const copy = await openReader(into)
    const rejects = await copy.rejects({ limit: 9 })
    const items = await copy.items({ afterSeq: 0, limit: 9 })
    const counts = await copy.counts()
    await copy.close()
    expect(rejects.map(({ source, requestId, ordinal, reason }) => [source, requestId, ordinal, reason])).toEqual([
      ['schema', 2, 0, 'price: missing'],
      ['schema', 1, 3, 'name: empty'],
    ])
    expect(items.map(({ ordinal, json }) => [ordinal, json])).toEqual([
      [0, '"a"'],
      [1, '"b"'],
      [2, '"c"'],
    ])
    expect(counts).toMatchObject({ items: 3, rejects: 2 })
    expect(audit(into)).toEqual([])
  })
})

describe('records of documents', () => {
  it('stay what they are, and their documents done: bodies that were saved are not kept', async () => {
    const file = request('shop.example/a.pdf', { handler: 'files/file' })
    const page = request('shop.example/a')
    const records = [{ json: '{"sha256":"5e"}' }]
    await made(path, [page, file], {
      'shop.example/a': { outcome: DONE, items: ['old'] },
      'shop.example/a.pdf': { outcome: DONE, records },
    })
    await made(replay, [page, file], {
      'shop.example/a': { outcome: DONE, items: ['new'] },
      'shop.example/a.pdf': { outcome: NOT_KEPT },
    })
    await adopt()

    expect(audit(into)).toEqual([])
    expect(await itemsOf()).toEqual(['new'])
    expect(await look((reader) => reader.records({ afterSeq: 0, limit: 9 }))).toMatchObject([
      { url: file.url, json: '{"sha256":"5e"}' },
    ])
    expect(await look((reader) => reader.counts())).toMatchObject({ done: 2, failed: 0, records: 1 })
  })
})

/** A store in which `a` and `b` have no item any more, a sink has written two, and `c` waits. */
async function emptiedByReplay(): Promise<void> {
  const [a, b, c] = ['shop.test/a', 'shop.test/b', 'shop.test/c']
  await made(path, [request(a), request(b), request(c)], {
    [a]: { outcome: DONE, items: ['a'] },
    [b]: { outcome: DONE, items: ['b'] },
  })
  const crawled = sqlite(path)
  await crawled.open(SPEC, 0)
  await crawled.keepSink({ name: 'mine', written: 2, mark: { itemSeq: 2 } })
  await crawled.close()
  await made(replay, [request(a), request(b)], { [a]: { outcome: DONE }, [b]: { outcome: DONE } })
  await adopt()
}

/** Numbers and texts of the items, and how many of them the sink lacks. */
const marked = (): Promise<unknown> =>
  look(async (reader) => ({
    items: (await reader.items({ afterSeq: 0, limit: 9 })).map(({ seq, json }) => [seq, json]),
    behind: (await reader.sinks()).map(({ behind }) => behind),
  }))

describe('a sink that has items which a replay took away', () => {
  it('gets the items that the next crawl finds', async () => {
    await emptiedByReplay()

    await made(into, [], { 'shop.test/c': { outcome: DONE, items: ['c', 'd'] } })

    const items = [
      [3, '"c"'],
      [4, '"d"'],
    ]
    expect(await marked()).toEqual({ items, behind: [2] })
  })

  it('gets them also where a commit failed because the disk was full', async () => {
    await emptiedByReplay()
    const crawling = sqlite(into, { maxBytes: statSync(into).size + 8 * 4_096 })
    await crawling.open(SPEC, 0)
    const [lease] = (await crawling.lease({ now: 0, hosts: 9, requestsPerHost: 20 })).leases
    if (lease?.requests[0] === undefined) throw new Error('expected a lease')
    const unit = { lease, requestId: lease.requests[0].id, links: [], outcome: DONE }
    const withItems = (...texts: readonly string[]): CommitUnit => ({
      ...unit,
      items: texts.map((text) => ({ json: JSON.stringify(text) })),
    })

    await expect(crawling.commit([withItems('c', 'd', 'x'.repeat(100_000))])).rejects.toMatchObject({ code: 'AVO_FRONTIER_FULL' })
    await crawling.commit([withItems('c')])
    await crawling.close()

    expect(await marked()).toEqual({ items: [[3, '"c"']], behind: [1] })
  })
})
