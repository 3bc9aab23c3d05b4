// What PostgreSQL cannot keep as it is: U+0000, halves of characters, words that no index takes, numbers beyond its columns. It ends no crawl.
import {
  fingerprintOf,
  type CommitResult,
  type CommitUnit,
  type NewItem,
  type NewRequest,
  type Outcome,
} from '@avocet/core/store'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresFrontier, type PostgresFrontier } from '../src/index.ts'

const missing = postgresMissing()
const SPEC = { name: 'unstorable', hostKeying: 'host' }
const FETCHED = { at: 1_000, status: 200, durationMs: 5, wireBytes: 10 }
const DONE = { kind: 'done', fetched: FETCHED } as const
const HALF = '\u{1F600}'.slice(0, 1)
/** More than a page of an index, however it is compressed. */
const LONG = Array.from({ length: 4_000 }, (_, n) => String.fromCodePoint(0x4e_00 + ((n * 7_919) % 20_000))).join('')

function request(path: string, more: Partial<NewRequest> = {}): NewRequest {
  const url = `https://a.example/${path}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0, ...more }
}

function watched(key: string): NewItem {
  return { json: JSON.stringify({ key }), watched: { key, value: '{}' } }
}

function thrown(message: string): Outcome {
  const handlerError = { code: 'AVO_HANDLER_THREW', message, place: 'a.ts:1' } as const
  const failure = { code: 'AVO_HANDLER_THREW', message, blame: 'user', sent: true, wireBytes: 10, handlerError } as const
  return { kind: 'failed', reason: 'handler-error', fetched: FETCHED, failure }
}

describe.skipIf(missing !== undefined)(`what PostgreSQL cannot keep ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  /** A frontier, and what commits one page after the other. */
  async function given(): Promise<{ frontier: PostgresFrontier; commit: (unit: Partial<CommitUnit>) => Promise<CommitResult> }> {
    const frontier = postgresFrontier(`${server.url}?crawl=unstorable-${String(++crawls)}`, { allowUnsafe: true })
    onTestFinished(() => frontier.close())
    await frontier.open(SPEC, 0)
    await frontier.add([1, 2, 3].map((n) => request(String(n))))
    const now = Math.floor(frontier.sharing?.tenure?.now() ?? 0)
    const { leases } = await frontier.lease({ now, hosts: 1, requestsPerHost: 9 })
    const [lease] = leases
    if (lease === undefined) throw new Error('expected a lease')
    const ids = lease.requests.map(({ id }) => id)
    const commit = async (unit: Partial<CommitUnit>): Promise<CommitResult> => {
      const id = ids.shift() ?? 0
      const [result] = await frontier.commit([{ lease, requestId: id, outcome: DONE, items: [], links: [], ...unit }])
      if (result === undefined) throw new Error('expected a result')
      return result
    }
    return { frontier, commit }
  }

  const again = { at: 5, skipped: 0 }
  const reject = { ordinal: 0, json: '{}', at: 1, reason: 'x' }
  it.each<readonly [string, Partial<CommitUnit>]>([
    ['half a character in the message of an error', { outcome: thrown(`bad ${HALF}`) }],
    ['U+0000 in the message of an error', { outcome: thrown('bad \0') }],
    ['a very long message of an error', { outcome: thrown(LONG) }],
    ['half a character in the reason of a reject', { rejects: [{ ...reject, reason: `"${HALF}"` }] }],
    ['half a character in a record', { records: [{ json: `"${HALF}"` }] }],
    ['U+0000 and half a character in the key of a watched item', { items: [watched(`\0${HALF}`)], watch: { shows: 'some' } }],
    [
      'half a character in an item that is held, and in its reason',
      { held: { items: [watched(`"${HALF}`)], reason: `\0${HALF}` } },
    ],
    ['U+0000 in the text of an anchor', { links: [request('b', { anchorText: 'a\0' })] }],
    ['half a character in a body', { links: [request('b', { method: 'POST', body: HALF })] }],
    ['U+0000 in data and header fields', { links: [request('b', { dataJson: '"\0"', headersJson: '{"a":"\0"}' })] }],
    ['U+0000 and half a character in an identity', { links: [request('b', { identity: `\0${HALF}` })] }],
    ['many hops', { links: [request('b', { hops: 2 ** 31 })] }],
    ['a moment that never comes', { links: [request('b', { notBefore: 1e21 }), request('c', { again: 1e300 })] }],
    ['a retry that never comes', { outcome: { kind: 'retry', at: 1e300, counted: true, reason: 'x' } }],
    [
      'a strange status, and an endless body',
      { outcome: { kind: 'done', fetched: { ...FETCHED, status: 70_000, wireBytes: 1e300 } } },
    ],
    ['many rounds', { outcome: { ...DONE, again: { ...again, skipped: 2 ** 31 } } }],
    ['U+0000 and half a character in an etag', { outcome: { ...DONE, again: { ...again, etag: `"\0${HALF}"` } } }],
    ['U+0000 in a target', { outcome: { kind: 'moved', target: `https://a.example/\0${HALF}`, fetched: FETCHED } }],
    ['U+0000 in the name of a part of crawl memory', { crawlMemory: { 'a\0': '1', [LONG]: '2' } }],
    ['a long name of a large part of memory', { memory: { [LONG]: JSON.stringify(LONG) } }],
  ])('is no trouble: %s', async (_what, unit) => {
    const { commit } = await given()

    expect(await commit(unit)).toMatchObject({ status: 'committed' })
  })

  it.each<readonly [string, Partial<CommitUnit>, string]>([
    ['a host', { links: [request('b', { hostKey: LONG })] }, 'hostKey: expected at most 2000 bytes'],
    ['a handler', { links: [request('b', { handler: LONG })] }, 'handler: expected at most 2000 bytes'],
    [
      'a place of what is held',
      { held: { items: [{ json: '{}', ordinal: 2 ** 31 }], reason: 'x' } },
      'ordinal: expected an integer',
    ],
    ['a place', { items: [{ json: '{}', ordinal: 2 ** 31 }] }, 'ordinal: expected an integer up to 2147483647'],
  ])('costs a page where it names %s, and says so', async (_what, unit, error) => {
    const { commit } = await given()
    const result = await commit(unit)

    expect(result.status === 'rejected' && result.error).toContain(error)
  })

  it.each<readonly [string, (frontier: PostgresFrontier) => Promise<unknown>]>([
    ['the reason of a host that is given up', (frontier) => frontier.retire('a.example', 'x\0', NaN)],
    ['the name of a sink', (frontier) => frontier.sinks.claim(LONG)],
    [
      'the reason of a sink',
      (frontier) => frontier.rejects.setAside([{ ...reject, source: LONG, requestId: 1, visit: 0, reason: '\0' }]),
    ],
    ['a URL that is asked for', (frontier) => frontier.reader.requests({ url: 'https://a.example/\0' })],
  ])('ends no other call: %s', async (_what, call) => {
    const { frontier } = await given()

    await expect(call(frontier)).resolves.not.toThrow()
  })

  it('is shown as U+FFFD where it is no text', async () => {
    const { frontier, commit } = await given()
    await commit({ outcome: { kind: 'failed', reason: `a\0b${HALF}` } })
    await commit({ outcome: { ...DONE, again: { ...again, etag: `"\0"` } } })

    expect(await frontier.reader.failures()).toEqual([{ reason: 'a\uFFFDb\uFFFD', count: 1 }])
  })

  it('changes nothing that it can keep: an item stays as it was made', async () => {
    const { frontier, commit } = await given()
    const json = JSON.stringify({ text: `a\0b${HALF}\u{1F600}\\u0000 "${LONG}"` })
    await commit({ items: [{ json }], records: [{ json }] })

    expect(await frontier.reader.items({ afterSeq: 0, limit: 9 })).toMatchObject([{ json }])
    expect(await frontier.reader.items({ recordsOf: 'start' })).toMatchObject([{ json }])
  })

  it('keeps apart what has a control character in it, be it the one that stands between two texts', async () => {
    const { frontier, commit } = await given()
    const items = ['"a\x1Fb"', '"c"'].map((json, ordinal) => ({ json, ordinal }))
    await commit({ items, memory: { a: '\x1F1\x1F', b: 'x\x1F'.repeat(3_000) } })
    await frontier.close()
    await frontier.open(SPEC, 0)

    const stored = await frontier.reader.items({ afterSeq: 0, limit: 9 })
    expect(stored.map(({ json }) => JSON.parse(json) as string)).toEqual(['a\x1Fb', 'c'])
    const [host] = await frontier.reader.hosts({ limit: 1 })
    expect(host?.memory).toEqual({ a: '\x1F1\x1F', b: 'x\x1F'.repeat(3_000) })
  })

  it('tells long reasons apart, and finds each by the whole of it', async () => {
    const { frontier, commit } = await given()
    for (const reason of [`${LONG}1`, `${LONG}2`]) await commit({ outcome: { kind: 'failed', reason } })

    expect(await frontier.reader.failures()).toHaveLength(2)
    expect(await frontier.change({ kind: 'reopen', reasons: [`${LONG}2`], limit: 9 })).toBe(1)
    expect(await frontier.reader.failures()).toMatchObject([{ count: 1 }])
  })

  it('tells long keys of watched items apart, and finds each by the whole of it', async () => {
    const { frontier, commit } = await given()
    await commit({ items: [watched(`${LONG}1`), watched(`${LONG}2`)], watch: { shows: 'all', goneAfterVisits: 1 } })

    expect(await frontier.reader.changes({})).toHaveLength(2)
    expect(await frontier.reader.changes({ key: `${LONG}2` })).toMatchObject([{ kind: 'new' }])
  })

  it('leaves parts of memories with long names what they are', async () => {
    const { frontier, commit } = await given()
    const memory = { [LONG]: JSON.stringify(LONG), b: '1' }
    await commit({ memory })

    expect((await frontier.reader.hosts({ hostKey: 'a.example' }))[0]?.memory).toEqual(memory)
  })
})
