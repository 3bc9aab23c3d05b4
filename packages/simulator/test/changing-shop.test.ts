// Shops whose prices change: when, by how much, in each layout, and who is answered 304. On both webs.
import type { Outbound } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock, type SiteModel } from '@avocet/simulator'
import { startRoughWeb } from '@avocet/stress/rough-web'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asAsked } from '../src/site-model/site.ts'
import { priceIn } from '../src/site-model/shop-site.ts'
import { seeded } from '../src/index.ts'

const HOUR_MS = 3_600_000
const PATH = '/product/A-00001'

function shop(more: object = {}): SiteModel {
  const prices = { everyMs: HOUR_MS, ratio: 1, validator: 'etag', ...more } as const
  return siteModel({ seed: 'changing', hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 20, prices } }] })
}

describe('prices', () => {
  it('change in the given share, by a fifth at most, and are the same whoever asks', () => {
    const rounds = Array.from({ length: 1_000 }, (_, round) => priceIn(round, 100, { ratio: 0.25, chance: seeded('a') }))
    const changes = rounds.filter(({ round }, n) => n > 0 && round === n)

    expect(changes.length).toBeGreaterThan(200)
    expect(changes.length).toBeLessThan(300)
    expect(rounds.every(({ price }) => price >= 80 && price <= 120)).toBe(true)
    expect(priceIn(999, 100, { ratio: 0.25, chance: seeded('a') })).toEqual(rounds[999])
  })

  it('stay within a round; page and expectation agree in every layout', () => {
    for (const layout of ['classes', 'microdata', 'json-ld'] as const) {
      const model = siteModel({
        seed: 'layouts',
        hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 2, layout, prices: { everyMs: HOUR_MS, ratio: 1 } } }],
      })
      const at = (ms: number): string => new TextDecoder().decode(model.page('shop.test', PATH, ms)?.body)
      expect(at(HOUR_MS)).toBe(at(2 * HOUR_MS - 1))
      expect(at(HOUR_MS)).not.toBe(at(2 * HOUR_MS))
      const price = model.expected.products('shop.test', 5 * HOUR_MS)[0]?.price ?? 0
      expect(at(5 * HOUR_MS)).toContain(price.toFixed(2))
    }
  })
})

describe('a page that the client has', () => {
  const page = {
    status: 200,
    headers: { etag: '"b"', 'last-modified': 'Thu, 01 Jan 2026 01:00:00 GMT' },
    body: new Uint8Array(9),
  }

  it.each([
    ['the same tag', { 'if-none-match': '"b"' }, 304],
    ['one of several tags', { 'if-none-match': '"a", W/"b"' }, 304],
    ['another tag', { 'if-none-match': '"a"' }, 200],
    ['another tag goes before a date', { 'if-none-match': '"a"', 'if-modified-since': 'Thu, 01 Jan 2026 01:00:00 GMT' }, 200],
    ['its date', { 'if-modified-since': 'Thu, 01 Jan 2026 01:00:00 GMT' }, 304],
    ['an older date', { 'if-modified-since': 'Thu, 01 Jan 2026 00:59:59 GMT' }, 200],
    ['nothing', {}, 200],
  ])('with %s', (_what, asked, status) => {
    expect(asAsked(page, asked).status).toBe(status)
  })

  it('is a page without validators always', () => {
    const bare = { status: 200, headers: {}, body: new Uint8Array(9) }
    expect(asAsked(bare, { 'if-none-match': '"b"' })).toBe(bare)
  })
})

describe('conditional requests', () => {
  it('are answered 304 by the simulated web until the price changes', async () => {
    const clock = new VirtualClock()
    const web = simulatedWeb(shop(), { clock })
    const limits = { connectMs: 9e3, firstByteMs: 9e3, idleMs: 9e3, totalMs: 9e3, minBytesPerSecond: 1 }
    const ask = (headers: Readonly<Record<string, string>>): Promise<{ status: number; etag: string; bytes: number }> =>
      new Promise((resolve, reject) => {
        const outbound: Outbound = { url: `http://shop.test${PATH}`, method: 'GET', headers, limits, privateAllowed: false }
        web.fetch(outbound, {
          sent: () => {},
          headers: () => 'read',
          done: ({ status, headers: { etag }, body }) => resolve({ status, etag: String(etag), bytes: body.byteLength }),
          failed: ({ message }) => reject(new Error(message)),
        })
      })
    const { etag } = await clock.run(() => ask({}))
    expect(await clock.run(() => ask({ 'if-none-match': etag }))).toEqual({ status: 304, etag, bytes: 0 })
    await clock.advance(HOUR_MS)
    expect(await clock.run(() => ask({ 'if-none-match': etag }))).toMatchObject({ status: 200 })
  })

  it('are answered 304 by the rough web', async () => {
    const web = await startRoughWeb(shop({ validator: 'last-modified' }))
    onTestFinished(() => web.close())
    const url = web.urlOf('shop.test') + PATH
    const first = await fetch(url)
    const since = first.headers.get('last-modified') ?? ''
    expect(since).toMatch(/^Thu, 01 Jan 2026 00:00:00 GMT$/)
    const again = await fetch(url, { headers: { 'if-modified-since': since, 'cache-control': 'no-cache' } })
    expect([first.status, again.status, await again.text()]).toEqual([200, 304, ''])
  })
})
