import { gunzipSync } from 'node:zlib'
import type { Sink } from '@avocet/core/sink'
import { sleepUntil } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { s3, type S3Options } from '../src/index.ts'
import { driveSink, sinkItem, type SinkProgress } from '@avocet/testkit/contracts'
import { KEY_ID, S3Server, SECRET } from './s3-server.ts'

let store: S3Server
beforeEach(async () => {
  store = await S3Server.start()
})
afterEach(() => store.close())

const credentials = { accessKeyId: KEY_ID, secretAccessKey: SECRET }
const sinkOf = (options: Partial<S3Options> = {}): Sink =>
  s3({ bucket: 'harvest', prefix: 'teas', endpoint: store.endpoint, credentials, gzip: false, ...options })
const names = (): string[] => [...store.objects.keys()].sort()
const textOf = (name: string): string => store.objects.get(name)?.body.toString() ?? 'nothing'
const numbersIn = (name: string): number[] =>
  textOf(name)
    .split('\n')
    .flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { n: number }).n))
const numbers = (): number[] => names().flatMap(numbersIn)
const fresh = (): SinkProgress => ({ refused: new Map() })
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
const itemsUpTo = (count: number): ReturnType<typeof sinkItem>[] => upTo(count).map((n) => sinkItem(n))

describe('s3', () => {
  it('writes items as lines of JSON, compressed, into objects that sort by name', async () => {
    await driveSink(sinkOf({ gzip: true, maxBytes: 1 }), itemsUpTo(8), { kept: fresh() })

    // gzip gives its first bytes with the header, so each batch of four makes an object.
    expect(names()).toEqual(['teas/000001.jsonl.gz', 'teas/000002.jsonl.gz'])
    const unpacked = names().map((name) => gunzipSync(store.objects.get(name)?.body ?? '').toString())
    expect(unpacked.join('')).toBe(
      upTo(8)
        .map((n) => `{"n":${n},"name":"tea ${n}"}\n`)
        .join(''),
    )
  })

  it('completes an object at a size, and what is left when the run ends', async () => {
    await driveSink(sinkOf({ maxBytes: 150 }), itemsUpTo(20), { kept: fresh() })

    expect(names()).toEqual(['teas/000001.jsonl', 'teas/000002.jsonl', 'teas/000003.jsonl'])
    expect(numbers()).toEqual(upTo(20))
  })

  it('completes an object at an age although no item comes, and keeps the mark', async () => {
    const clock = new VirtualClock()
    const kept = fresh()
    const between = async (): Promise<void> => {
      expect(kept.mark).toEqual({ itemSeq: 0 })
      await clock.run(() => sleepUntil(clock, clock.now() + 61_000))
      await expect.poll(() => kept.mark).toEqual({ itemSeq: 2, state: { next: 2 } })
      expect(numbers()).toEqual([1, 2])
    }

    await driveSink(sinkOf({ everyMs: 60_000 }), itemsUpTo(2), { kept, clock, between })
  })

  it('goes on with the next object in the next run, and writes none for a run without items', async () => {
    const kept = fresh()
    await driveSink(sinkOf(), itemsUpTo(3), { kept })
    await driveSink(sinkOf(), itemsUpTo(3), { kept })
    await driveSink(sinkOf(), itemsUpTo(5), { kept })

    expect(names()).toEqual(['teas/000001.jsonl', 'teas/000002.jsonl'])
    expect(numbers()).toEqual(upTo(5))
  })

  it('uploads a large object in parts of one size, and leaves no upload behind', async () => {
    const text = 'x'.repeat(1_000_000)
    const items = upTo(14).map((n) => sinkItem(n, { n, text }))

    await driveSink(sinkOf(), items, { kept: fresh(), batch: 3 })

    expect(store.log.filter((line) => line.includes('part='))).toEqual(upTo(3).map((n) => `PUT teas/000001.jsonl?part=${n}`))
    expect(store.objects.get('teas/000001.jsonl')?.etag).toMatch(/-3"$/)
    expect(numbers()).toEqual(upTo(14))
    expect(store.uploads.size).toBe(0)
  })

  it('writes CSV with a first line in each object', async () => {
    const value = { name: 'Earl "Grey", loose', price: 4.5, tags: ['a'], there: true, none: null }
    const csv = sinkOf({ format: 'csv', columns: ['name', 'price', 'tags', 'there', 'none', 'toString'] })

    await driveSink(csv, [sinkItem(1, value), sinkItem(2, 'text')], { kept: fresh() })

    expect(textOf('teas/000001.csv')).toBe(
      'name,price,tags,there,none,toString\n"Earl ""Grey"", loose",4.5,"[""a""]",true,,\n,,,,,\n',
    )
  })

  it('signs names with any characters', async () => {
    await driveSink(sinkOf({ prefix: "tés & cafés/it's (1)+2=3!*/~x%41" }), itemsUpTo(1), { kept: fresh() })

    expect(names()).toEqual(["tés & cafés/it's (1)+2=3!*/~x%41/000001.jsonl"])
  })

  it('sends the token of temporary credentials, and asks for them again whenever it opens', async () => {
    store.token = 'one'
    const kept = fresh()
    const sink = sinkOf({ credentials: async () => ({ ...credentials, sessionToken: store.token ?? '' }) })

    await driveSink(sink, itemsUpTo(1), { kept })
    store.token = 'two'
    await driveSink(sink, itemsUpTo(2), { kept })

    expect(numbers()).toEqual([1, 2])
  })

  it('works with a store that knows no conditions', async () => {
    store.knowsConditions = false

    await driveSink(sinkOf({ maxBytes: 100 }), itemsUpTo(9), { kept: fresh() })

    expect(numbers()).toEqual(upTo(9))
  })

  it('works without the right to list uploads', async () => {
    store.forbidden.add('GET ?uploads')

    await driveSink(sinkOf(), itemsUpTo(3), { kept: fresh() })

    expect(numbers()).toEqual(upTo(3))
  })

  it('replaces objects when its mark is gone, for the items come again, and removes those that are left over', async () => {
    await driveSink(sinkOf({ maxBytes: 100 }), itemsUpTo(20), { kept: fresh() })
    expect(names()).toHaveLength(3)

    await driveSink(sinkOf({ maxBytes: 250 }), itemsUpTo(20), { kept: fresh() })

    expect(names()).toHaveLength(2)
    expect(numbers()).toEqual(upTo(20))
  })

  it('touches no object of another crawl or another sink, and says which is in the way', async () => {
    await driveSink(sinkOf(), itemsUpTo(2), { kept: fresh() })

    await expect(driveSink(sinkOf(), itemsUpTo(1), { kept: fresh(), storeId: 'store-2' })).rejects.toThrow(
      'expected teas/000001.jsonl in bucket harvest to be free for this crawl, got an object of another crawl or another sink',
    )
    await expect(driveSink(sinkOf({ name: 'yours' }), itemsUpTo(1), { kept: fresh() })).rejects.toThrow('another sink')
    expect(numbers()).toEqual([1, 2])
  })

  it('does not let a request that was given up replace what was written since', async () => {
    const kept = fresh()
    const late: (() => Promise<void>)[] = []
    const slow: typeof fetch = async (request, init) => {
      if (!(request instanceof Request) || request.method !== 'PUT') return fetch(request, init)
      const copy = request.clone()
      late.push(async () => void (await fetch(copy)))
      throw new TypeError('fetch failed')
    }
    await expect(driveSink(sinkOf({ fetch: slow }), itemsUpTo(2), { kept })).rejects.toThrow('expected an answer to PUT')
    await driveSink(sinkOf(), itemsUpTo(5), { kept })

    for (const send of late) await send()

    expect(late).toHaveLength(1)
    expect(numbers()).toEqual(upTo(5))
  })
})

describe('s3 that cannot write', () => {
  it.each([
    ['a bucket that is not there', { bucket: 'nowhere' }, 'got NoSuchBucket, status 404; create the bucket, or correct bucket'],
    [
      'another key',
      { credentials: { ...credentials, accessKeyId: 'WRONG' } },
      'InvalidAccessKeyId, status 403; check AWS_ACCESS_KEY_ID',
    ],
    ['another secret', { credentials: { ...credentials, secretAccessKey: 'wrong' } }, 'status 403; check AWS_SECRET_ACCESS_KEY'],
    ['nobody who listens', { endpoint: 'http://127.0.0.1:9' }, 'from http://127.0.0.1:9, got none'],
  ])('says so in one line as it opens: %s', async (_, options, message) => {
    const run = driveSink(sinkOf(options), itemsUpTo(1), { kept: fresh() })

    const error = await run.catch((error: unknown) => error)
    expect(String(error)).toContain(message)
    expect(String(error)).not.toMatch(/\n|wrong'|EXAMPLE/)
  })

  it('finds out as it opens that it may not write', async () => {
    store.forbidden.add('POST teas/')

    await expect(driveSink(sinkOf(), itemsUpTo(1), { kept: fresh() })).rejects.toThrow(
      'AccessDenied, status 403; the credentials need',
    )
  })

  it('takes an answer that is no S3 for a failure', async () => {
    store.faultOf = ({ line }) => (line.startsWith('POST') ? 'garbage' : undefined)

    await expect(driveSink(sinkOf(), itemsUpTo(1), { kept: fresh() })).rejects.toThrow('got a page of HTML; check the endpoint')
  })

  it('stops waiting when nobody waits for it any more', async () => {
    store.faultOf = () => 'hang'
    const stop = new AbortController()
    const session = {
      crawl: { name: 'teas', id: '1' },
      clock: new VirtualClock(),
      signal: stop.signal,
      keep: async () => {},
      problem() {},
      notice() {},
    }

    const opening = Promise.resolve(sinkOf().open?.(session))
    stop.abort()

    await expect(opening).rejects.toThrow('got none: AbortError')
  })

  it.each<readonly [string, object, string]>([
    ['no bucket', { bucket: undefined }, 'expected s3: bucket to be the name of a bucket, got nothing'],
    [
      'a prefix that leads elsewhere',
      { prefix: 'a/../b' },
      "expected s3: prefix to be a text without '.' or '..' between its slashes",
    ],
    ['secrets in the endpoint', { endpoint: 'https://me:secret@minio.example' }, 'expected s3: endpoint to be an http(s) URL'],
    ['csv without columns', { format: 'csv' }, 'expected s3: columns to be a list of fields for csv'],
    ['too large objects', { maxBytes: 2 ** 40 }, 'expected s3: maxBytes to be a whole number from 1'],
    [
      'half credentials',
      { credentials: { accessKeyId: 'a-key', secretAccessKey: '' } },
      'expected s3: credentials to be an object with',
    ],
  ])('refuses %s', (_, options, message) => {
    const make = (): unknown => sinkOf(options)

    expect(make).toThrow(message)
    expect(make).not.toThrow(/a-key|secret@/)
  })

  it('shows its options without credentials', () => {
    expect(sinkOf().options).toEqual({ bucket: 'harvest', prefix: 'teas', endpoint: store.endpoint, gzip: false })
  })
})
