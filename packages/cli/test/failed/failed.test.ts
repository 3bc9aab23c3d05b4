// `avocet failed`: what was given up, why, and once more.
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fingerprint, type NewRequest, type Outcome } from '@avocet/core/store'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-failed-'))
})
afterEach(() => rm(folder, { recursive: true }))

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

function storePath(): string {
  return join(folder, '.avocet', 'shop.db')
}

function request(url: string): NewRequest {
  const fingerprint = url.slice(-16).padStart(16, '.') as Fingerprint
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0 }
}

/** A store with five pages: a 503 that was tried four times, a 404, a 403, one done, and one under a host that was given up. */
async function store(hostKeying = 'host'): Promise<void> {
  const frontier = sqlite(storePath())
  await frontier.open({ name: 'shop', hostKeying }, 0)
  const urls = ['a', 'b', 'c', 'd'].map((name) => `http://shop.test/${name}`)
  await frontier.add([...urls, 'http://dead.test/1'].map(request))
  const fetched = { at: 5, status: 503, durationMs: 9, wireBytes: 12 }
  const outcomes: Readonly<Record<string, Outcome>> = {
    '/a': { kind: 'failed', reason: 'http-503', fetched },
    '/b': { kind: 'failed', reason: 'http-404', fetched },
    '/c': { kind: 'failed', reason: 'http-403', fetched },
    '/d': { kind: 'done', fetched },
  }
  const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })
  for (const lease of leases) {
    for (const { id, url } of lease.requests) {
      const outcome = outcomes[new URL(url).pathname]
      if (outcome) await frontier.commit([{ lease, requestId: id, outcome, links: [], items: [] }])
    }
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  await frontier.retire('dead.test', 'never answered, 3 times in a row', Infinity)
  await frontier.close()
}

async function counts(): Promise<object> {
  const reader = await openReader(storePath())
  const { waiting, failed, retired } = await reader.counts()
  await reader.close()
  return { waiting, failed, retired }
}

describe('avocet failed list', () => {
  it('says of each page its class and its reason, and how many there are', async () => {
    await store()
    expect(await avocet('failed', 'list')).toEqual({
      code: 0,
      stdout: [
        'exhausted  http://shop.test/a  http-503',
        'permanent  http://shop.test/b  http-404',
        'blocked    http://shop.test/c  http-403',
        'host-dead  http://dead.test/1  never answered, 3 times in a row',
        '',
        'failed in the store: 1 exhausted, 1 host-dead, 1 blocked, 1 permanent; to retry temporary failures (--class blocked retries others):\n  avocet failed retry',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  it('of one class, of one host, and no more than asked for', async () => {
    await store()
    expect((await avocet('failed', 'list', '--class', 'blocked')).stdout).toMatch(
      /^blocked {4}http:\/\/shop\.test\/c {2}http-403\n\nfailed in/,
    )
    expect((await avocet('failed', 'list', '--host', 'DEAD.test')).stdout).toMatch(/^host-dead .*\n\nfailed in the store/)
    expect((await avocet('failed', 'list', '--limit', '2')).stdout).toMatch(
      /\n\nthe first 2 \(--limit for more\); failed in the store/,
    )
  })

  it('--json prints one document', async () => {
    await store()
    const { stdout } = await avocet('failed', 'list', '--class', 'exhausted', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      counts: { exhausted: 1, permanent: 1, blocked: 1, 'host-dead': 1 },
      more: false,
      letters: [{ class: 'exhausted', url: 'http://shop.test/a', reason: 'http-503', status: 503, attempts: 1 }],
    })
  })

  it('of nothing says so, and is no error', async () => {
    await store()
    const { code, stdout } = await avocet('failed', 'list', '--class', 'poison')
    expect([code, stdout]).toEqual([
      0,
      'no matching failed pages; the store has 1 exhausted, 1 host-dead, 1 blocked, 1 permanent\n',
    ])
  })
})

describe('avocet failed retry', () => {
  it('has what time may heal wait again, revives hosts, and says how to go on', async () => {
    await store()
    const { code, stdout } = await avocet('failed', 'retry')
    expect([code, stdout]).toEqual([0, '2 pages wait again, 1 host is revived; run the crawl again (store: .avocet/shop.db)\n'])
    expect(await counts()).toEqual({ waiting: 2, failed: 2, retired: 0 })
    expect((await avocet('failed', 'retry')).stdout).toBe(
      'no temporary failures; the store has 1 blocked, 1 permanent; to retry what failed:\n  avocet failed retry --class blocked\n',
    )
  })

  it.each([
    [['--class', 'permanent'], { waiting: 2, failed: 2, retired: 1 }],
    [['--class', 'all'], { waiting: 4, failed: 0, retired: 0 }],
    [['--class', 'all', '--host', 'dead.test'], { waiting: 1, failed: 3, retired: 0 }],
  ])('%j takes those and no others', async (words, expected) => {
    await store()
    expect((await avocet('failed', 'retry', ...words)).code).toBe(0)
    expect(await counts()).toEqual(expected)
  })

  it.each(['list', 'retry', 'drop'])('%s says so of a host that the store does not know', async (action) => {
    await store()
    const { code, stderr } = await avocet('failed', action, '--host', 'never.test')

    expect(code).toBe(2)
    expect(stderr).toContain("failed --host: expected a host that the store knows, got 'never.test'")
    expect(await counts()).toEqual({ waiting: 1, failed: 3, retired: 1 })
  })

  it('also in a store that keys hosts by domain; --json prints one document', async () => {
    await store('domain')
    const { stdout } = await avocet('failed', 'retry', '--json')
    expect(JSON.parse(stdout)).toEqual({ schema: 1, reopened: 2, revived: 1 })
  })
})

it('a page that was not there is fetched by the next run, once it is retried', { timeout: 60_000 }, async () => {
  let there = false
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/robots.txt' || (request.url === '/late' && !there) ? 404 : 200
    response.setHeader('content-type', 'text/html')
    response.end(request.url === '/' ? '<a href="/late">late</a>' : '<title>late</title>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const command = [
    'crawl',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    '--rate',
    'fixed',
    '--delay',
    '0',
    '-O',
    'out.jsonl',
  ] as const
  try {
    await avocet(...command)
    expect((await avocet('failed', 'list')).stdout).toMatch(/^permanent {2}http:\/\/127\.0\.0\.1:\d+\/late {2}http-404\n/)
    expect((await avocet(...command)).stderr).toContain('nothing to do')
    there = true
    expect((await avocet('failed', 'retry', '--class', 'permanent')).stdout).toContain('1 page waits again; run the crawl again')
    expect((await avocet(...command)).stderr).toContain('this run: 1 page')
    expect((await avocet('failed', 'list')).stdout).toBe('nothing has failed\n')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

/** A store of one page that was visited once and missing in three visits over two days, of one that is missing for an hour, and of one that is there. */
async function storeOfMissing(goneUntil?: number): Promise<{ gone: string; missing: string; there: string }> {
  const [gone, missing, there] = ['gone', 'missing', 'there'].map((name) => `http://shop.test/${name}`) as [
    string,
    string,
    string,
  ]
  const frontier = sqlite(storePath())
  await frontier.open({ name: 'shop', hostKeying: 'host' }, 0)
  await frontier.add([gone, missing, there].map(request))
  const hour = 3_600_000
  const visits: Readonly<Record<string, readonly Outcome[]>> = {
    [gone]: [absent(0, 1), absent(24 * hour, 2), absent(48 * hour)],
    [missing]: [absent(0, 1), absent(24 * hour, 1), absent(48 * hour, 2)],
    [there]: [0, 24, 48].map((at): Outcome => ({
      kind: 'done',
      fetched: { at: at * hour, status: 200, durationMs: 9, wireBytes: 12 },
      again: { at: (at + 24) * hour, skipped: 0 },
    })),
  }
  for (const round of [0, 1, 2]) {
    const { leases } = await frontier.lease({ now: round * 24 * hour, hosts: 1, requestsPerHost: 9 })
    for (const lease of leases) {
      for (const { id, url } of lease.requests) {
        const outcome = visits[url]?.[round]
        if (outcome) await frontier.commit([{ lease, requestId: id, outcome, links: [], items: [] }])
      }
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    }
  }
  await frontier.close()
  return { gone, missing, there }

  function absent(at: number, seen?: number): Outcome {
    const fetched = { at, status: 404, durationMs: 9, wireBytes: 12 }
    const next =
      seen === undefined
        ? { gone: true as const, ...(goneUntil !== undefined && { again: { at: goneUntil, skipped: 0 } }) }
        : { again: { at: at + 24 * hour, skipped: 0, missing: { visits: seen, since: 0 } } }
    return { kind: 'failed', reason: 'http-404', fetched, ...next }
  }
}

describe('a page that was taken for gone', () => {
  it('says so when it is asked about', async () => {
    const { gone, missing } = await storeOfMissing()

    expect((await avocet('why', gone)).stdout).toMatch(
      /\n {2}gone +missing in several visits in a row, [^]*\n {2}avocet failed retry http/,
    )
    expect((await avocet('why', missing)).stdout).toContain('not yet believed to be gone')
    expect((await avocet('why', missing)).stdout).not.toMatch(/\n {2}gone /)
  })

  it('is visited rarely, as why says, until it is dropped', async () => {
    const { gone } = await storeOfMissing(Date.now() + 3 * 86_400_000)

    expect((await avocet('why', gone)).stdout).toMatch(
      /due again in [23]\S* d[^]*\n {2}gone +missing in several visits in a row, so it is visited rarely/,
    )
    expect((await avocet('failed', 'list')).stdout).toMatch(/gone {2}http-404\n/)
    expect((await avocet('failed', 'drop', gone)).stdout).toMatch(/^1 page is dropped/)
    expect((await avocet('why', gone)).stdout).toMatch(/failed: dropped-http-404\n/)
    expect(await counts()).toMatchObject({ failed: 2 })
  })

  it('waits again when its URL is retried, and is taken for gone no longer', async () => {
    const { gone } = await storeOfMissing()
    const before = await counts()

    const { code, stdout } = await avocet('failed', 'retry', gone)

    expect([code, stdout]).toEqual([0, '1 page waits again; run the crawl again (store: .avocet/shop.db)\n'])
    expect(before).toMatchObject({ waiting: 0, failed: 2 })
    expect(await counts()).toMatchObject({ waiting: 1, failed: 1 })
    expect((await avocet('why', gone)).stdout).not.toMatch(/\n {2}gone /)
  })

  it('is left to the crawl once its next visit is due', async () => {
    const { gone } = await storeOfMissing(Date.now() - 60_000)

    const { code, stderr } = await avocet('failed', 'retry', gone)

    expect([code, stderr]).toEqual([2, expect.stringContaining(`${gone}, which is visited again by itself when it is due;`)])
    expect(await counts()).toMatchObject({ waiting: 0, failed: 2 })
  })
})

describe('a page that is missing and still requested', () => {
  it('is listed as failed, with when it is requested again', async () => {
    const { gone, missing } = await storeOfMissing()

    const { stdout } = await avocet('failed', 'list')
    expect(stdout).toContain(gone)
    expect(stdout).toContain(`${missing}  http-404, due again now`)
    expect(stdout).toContain('failed in the store: 2 permanent;')
    const report = (await avocet('report')).stdout
    expect(report).toContain('failed:\n  2 × http-404: ')
    expect(report).toContain('missing, 1 page:\n')
  })
})

describe('avocet failed retry with a page or a store', () => {
  it('of one URL takes that one and no other, and revives its host', async () => {
    await store()
    expect((await avocet('failed', 'retry', 'http://shop.test/b')).stdout).toContain('1 page waits again; run')
    expect(await counts()).toEqual({ waiting: 2, failed: 2, retired: 1 })
    expect((await avocet('failed', 'retry', 'http://dead.test/1')).stdout).toContain('1 page waits again, 1 host is revived')
    expect(await counts()).toEqual({ waiting: 2, failed: 2, retired: 0 })
  })

  it('of a page that is due again takes its host with it', async () => {
    const { there } = await storeOfMissing()
    const frontier = sqlite(storePath())
    await frontier.open({ name: 'shop', hostKeying: 'host' }, 0)
    await frontier.retire(new URL(there ?? '').host, 'no success for 24 h', Infinity)
    await frontier.close()

    const { code, stdout } = await avocet('failed', 'retry', there ?? '')

    expect([code, stdout]).toEqual([0, expect.stringContaining('1 page waits again, 1 host is revived')])
    expect(await counts()).toMatchObject({ retired: 0 })
  })

  it.each([
    [['nonsense'], "got 'nonsense'", '1 exhausted, 1 host-dead, 1 blocked, 1 permanent'],
    [['permanent'], "got 'permanent'", '--class permanent'],
    [['shop.test'], "got 'shop.test'", '--host shop.test'],
    [['http://shop.test/d'], 'got http://shop.test/d, which is done', 'avocet failed list'],
    [['http://shop.test/aa'], 'got http://shop.test/aa', "did you mean 'http://shop.test/a'?"],
    [['http://shop.test/a', '--class', 'all'], 'expected a URL or --class and --host, got both', ''],
  ])('%j matches nothing: it says what there is, with exit code 2, and makes no store', async (words, got, hint) => {
    await store()
    const before = await counts()
    const { code, stderr, stdout } = await avocet('failed', 'retry', ...words)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.replace(/\n +/g, ' ')).toContain(got)
    expect(stderr.replace(/\n +/g, ' ')).toContain(hint)
    expect(await counts()).toEqual(before)
    expect(await readdir(folder)).toEqual(['.avocet'])
  })

  it('of a store that is not there says so, with exit code 7', async () => {
    await store()
    expect((await avocet('failed', 'retry', 'other.db')).code).toBe(7)
    expect(await readdir(folder)).toEqual(['.avocet'])
  })
})

describe('avocet failed drop', () => {
  it('has pages of a class be looked at no more, and says how to undo that', async () => {
    await store()
    expect(await avocet('failed', 'drop', '--class', 'permanent')).toEqual({
      code: 0,
      stdout: '1 page is dropped; to undo that:\n  avocet failed retry --class dropped\n',
      stderr: '',
    })
    const { stdout } = await avocet('failed', 'list')
    expect(stdout).not.toContain('/b')
    expect(stdout).toContain('failed in the store: 1 exhausted, 1 host-dead, 1 blocked, 1 dropped;')
    expect((await avocet('failed', 'list', '--class', 'dropped')).stdout).toMatch(
      /^dropped {4}http:\/\/shop\.test\/b {2}dropped-http-404\n/,
    )
    expect(await counts()).toEqual({ waiting: 1, failed: 3, retired: 1 })

    expect((await avocet('failed', 'retry', '--class', 'all')).stdout).toMatch(/^3 pages wait again/)
    expect((await avocet('failed', 'retry', '--class', 'dropped')).stdout).toMatch(/^1 page waits again/)
    expect(await counts()).toEqual({ waiting: 4, failed: 0, retired: 0 })
  })

  it.each([
    [['--class', 'all'], { waiting: 0, failed: 4, retired: 0 }, 4],
    [['--class', 'host-dead'], { waiting: 0, failed: 4, retired: 0 }, 1],
    [['--host', 'dead.test'], { waiting: 0, failed: 4, retired: 0 }, 1],
    [['--host', 'shop.test'], { waiting: 1, failed: 3, retired: 1 }, 3],
    [['http://shop.test/a'], { waiting: 1, failed: 3, retired: 1 }, 1],
    [['http://dead.test/1'], { waiting: 0, failed: 4, retired: 0 }, 1],
    [['--class', 'poison'], { waiting: 1, failed: 3, retired: 1 }, 0],
  ])('%j takes those and no others, once', async (words, expected, dropped) => {
    await store()
    expect(JSON.parse((await avocet('failed', 'drop', ...words, '--json')).stdout)).toEqual({ schema: 1, dropped, inUse: 0 })
    expect(await counts()).toEqual(expected)
    const { stdout, code } = await avocet('failed', 'drop', ...words)
    if (words.length === 1) expect(code).toBe(2)
    else expect([code, stdout]).toEqual([0, 'nothing to drop; to see what has failed:\n  avocet failed list\n'])
  })

  it.each(['DEAD.test', 'http://dead.test/1', 'dead.test:80'])('takes a host as %s', async (host) => {
    await store()
    expect((await avocet('failed', 'drop', '--host', host)).stdout).toBe(
      '1 page is dropped; to undo the drops of this host:\n  avocet failed retry --class dropped --host dead.test\n',
    )
  })

  it('names the store and the page that it was told, in how to take it back', async () => {
    await store()
    const { stdout } = await avocet('failed', 'drop', 'http://shop.test/a', '.avocet/shop.db')
    expect(stdout).toBe('1 page is dropped; to undo that:\n  avocet failed retry http://shop.test/a .avocet/shop.db\n')
  })

  it('says how many are dropped in all, for they are taken back together', async () => {
    await store()
    await avocet('failed', 'drop', '--class', 'permanent')
    expect((await avocet('failed', 'drop', '--class', 'blocked')).stdout).toBe(
      '1 page is dropped; to undo all 2 drops:\n  avocet failed retry --class dropped\n',
    )
    const { stdout } = await avocet('failed', 'list', '--class', 'dropped')
    expect(stdout.endsWith('2 dropped; to retry what failed:\n  avocet failed retry --class dropped\n')).toBe(true)
  })

  it('is listed among the orders, with how many pages', async () => {
    await store()
    await avocet('failed', 'drop', '--class', 'all')
    await avocet('failed', 'retry', '--class', 'dropped')
    const { orders } = JSON.parse((await avocet('hosts', '--json')).stdout) as { readonly orders: readonly object[] }
    expect(orders).toMatchObject([
      { control: { kind: 'given-up', done: 'dropped', pages: 4 } },
      { control: { kind: 'given-up', done: 'retried', pages: 4 } },
    ])
  })

  it.each([
    [[], 'expected --class, --host or a URL, got none of them; --class all drops every given-up page'],
    [['--class', 'dropped'], 'expected a class of pages that are not dropped, got dropped'],
    [['http://shop.test/d'], 'got http://shop.test/d, which is done; avocet failed list shows them'],
    [['http://shop.test/aa'], "got http://shop.test/aa, which the store does not know (did you mean 'http://shop.test/a'?)"],
    [['http://shop.test/a', '--host', 'shop.test'], 'failed drop: expected a URL or --class and --host, got both'],
    [['--host', 'shop.tset'], "failed --host: expected a host that the store knows, got 'shop.tset' (did you mean 'shop.test'?)"],
    [['--class', 'permanent', '--limit', '1'], 'failed drop: expected --limit with list alone, got it with drop; leave it out'],
  ])('%j is reported in one line, with exit code 2, and drops nothing', async (words, line) => {
    await store()
    const before = await counts()
    const { code, stderr, stdout } = await avocet('failed', 'drop', ...words)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.replace(/\n +/g, ' ')).toContain(line)
    expect(await counts()).toEqual(before)
  })
})

describe('avocet failed, typed wrongly', () => {
  it.each([
    [['failed'], 'failed: expected list, retry or drop, got nothing'],
    [['failed', 'lst'], "failed: expected list, retry or drop, got 'lst' (did you mean 'list'?)"],
    [['failed', 'list', '--class', 'exausted'], "got 'exausted' (did you mean 'exhausted'?)"],
    [['failed', 'list', '--limit', 'many'], "failed --limit: expected a whole number of at least 1, got 'many'"],
    [['failed', 'list', '--clas', 'all'], "failed: expected a known option, got --clas (did you mean '--class'?)"],
  ])('%j is reported in one line, with exit code 2', async (words, line) => {
    const { code, stderr, stdout } = await avocet(...words)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.replace(/\n +/g, ' ')).toContain(line)
  })

  it('without a store says so, with exit code 7', async () => {
    const { code, stderr } = await avocet('failed', 'retry')
    expect(code).toBe(7)
    expect(stderr).toMatch(/^avocet: .*store/)
  })

  it('has a help that begins with an example and fits one screen', async () => {
    const { stdout } = await avocet('failed', '--help')
    expect(stdout.startsWith('avocet failed list')).toBe(true)
    expect(stdout.split('\n').length).toBeLessThanOrEqual(33)
    expect(stdout).toContain('exhausted     its attempts are used up')
  })
})
