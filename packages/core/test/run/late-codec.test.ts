// A codec that is loaded with the first thing to hide.
import type { FetchReceiver, Outbound } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { LateCodec, PLAIN } from '../../src/run/late-codec.ts'

const receiver = {} as FetchReceiver
const outbound = (headers: Record<string, string>): Outbound => ({ url: 'https://a.test/', method: 'GET', headers }) as Outbound

/** Counts how often it is loaded, and what it sends. */
function made(): { codec: LateCodec; loads: () => number; sent: string[]; fetcher: { fetch: () => () => void } } {
  const sent: string[] = []
  let loads = 0
  const loaded = { ...PLAIN, send: () => (sent.push('by the codec'), () => void sent.push('aborted')) }
  const codec = new LateCodec(async () => (loads++, loaded))
  return { codec, loads: () => loads, sent, fetcher: { fetch: () => (sent.push('as it is'), () => {}) } }
}

describe('a codec', () => {
  it('is needed for links with a header field that says who asks, in any case, and for no others', () => {
    const { codec } = made()
    const all = [undefined, { accept: 'text/html' }, null, 'cookie', { Cookie: 'sid=1' }]

    expect(all.map((headers) => codec.isMissingFor({ headers }))).toEqual([false, false, false, false, true])
  })

  it('is loaded once, by however many ask for it', async () => {
    const { codec, loads } = made()
    await Promise.all([codec.load(), codec.load()])
    await codec.load()

    expect(loads()).toBe(1)
    expect(codec.isMissingFor({ headers: { cookie: 'sid=1' } })).toBe(false)
  })

  it('is not loaded for a request without a reference', () => {
    const { codec, loads, sent, fetcher } = made()
    codec.send(outbound({ cookie: 'sid=1' }), receiver, fetcher)

    expect([sent, loads()]).toEqual([['as it is'], 0])
  })

  it('is loaded before a request of an earlier run is sent that has one', async () => {
    const { codec, sent, fetcher } = made()
    const abort = codec.send(outbound({ cookie: '__secret.a1b2.7__' }), receiver, fetcher)
    await codec.load()
    await Promise.resolve()
    abort()

    expect(sent).toEqual(['by the codec', 'aborted'])
  })

  it('sends nothing that is aborted while it is loaded', async () => {
    const { codec, sent, fetcher } = made()
    codec.send(outbound({ cookie: '__secret__' }), receiver, fetcher)()
    await codec.load()
    await Promise.resolve()

    expect(sent).toEqual([])
  })
})
