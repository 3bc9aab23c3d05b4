// The world of the watch: what its pages say is the truth in every layout, what a break makes of them is not, and both are the same for the same seed.
import { readPage } from '@avocet/simulator'
import { BREAK_KINDS, DAY_MS, drawsOf, HOUR_MS, shopsOf, type Shop, type Sight } from '@avocet/stress/shops'
import { describe, expect, it } from 'vitest'
import { shopsSpider } from '../../bench/watch/shops-spider.ts'

const FROM = 1_767_225_600_000
const SPAN = { fromMs: FROM, untilMs: FROM + 7 * DAY_MS }
const WORLD = { seed: 'test', shops: 60, products: 12, ...SPAN, hasWeather: false }
const SPIDER = shopsSpider(['https://shop-000.test/'])

/** What the spider reads at a moment, by sku. */
async function readAt(shop: Shop, path: string, at: number): Promise<Map<string, string>> {
  const { status, headers, body } = shop.answerAt(path, at)
  if (status !== 200) return new Map()
  const handler = path.startsWith('/all') ? 'list' : 'product'
  const { items } = await readPage(SPIDER, { url: `https://${shop.host}${path}`, body, headers, handler })
  return new Map(
    items.map(({ sku, price, currency, availability = '' }) => [sku, `${price.toFixed(2)} ${currency} ${availability}`]),
  )
}

function offersOf(sight: Sight): Map<string, string> {
  if (sight.kind === 'missing') return new Map()
  return new Map(
    [...sight.offers].map(([sku, { cents, currency, availability }]) => [
      sku,
      `${(cents / 100).toFixed(2)} ${currency} ${availability}`,
    ]),
  )
}

function pathsOf({ traits, lives }: Shop): readonly string[] {
  return traits.kind === 'lists'
    ? ['/all', '/all?page=2', '/all?page=3']
    : lives.flatMap(({ paths }) => paths.map(([, path]) => path))
}

describe('the pages of shops', () => {
  it('say the truth at every moment, in every layout', async () => {
    const { shops } = shopsOf(WORLD)
    const draws = drawsOf('moments')
    const wrong: unknown[] = []
    let offers = 0
    for (const shop of shops.values())
      for (const path of pathsOf(shop))
        for (let look = 0; look < 3; look++) {
          const at = Math.round(draws.between(SPAN.fromMs, SPAN.untilMs))
          const expected = offersOf(shop.sightAt(path, at))
          offers += expected.size
          const read = await readAt(shop, path, at)
          if (JSON.stringify([...read]) !== JSON.stringify([...expected]))
            wrong.push([shop.host, shop.traits, path, [...read], [...expected]])
        }

    expect(wrong.slice(0, 3)).toEqual([])
    expect(offers).toBeGreaterThan(1_500)
  })

  it.each(BREAK_KINDS)('say something else in most places during a break: %s', async (kind) => {
    const broken = { kind, fromMs: FROM + DAY_MS, untilMs: FROM + 2 * DAY_MS }
    const { shops } = shopsOf({ ...WORLD, shops: 40, breakOf: () => broken })
    const spared: unknown[] = []
    for (const shop of shops.values()) {
      let [looks, right] = [0, 0]
      for (const path of pathsOf(shop))
        for (const hour of [1, 7, 13]) {
          const at = FROM + DAY_MS + hour * HOUR_MS
          const read = await readAt(shop, path, at)
          for (const [sku, value] of offersOf(shop.sightAt(path, at))) {
            looks++
            if (read.get(sku) === value) right++
          }
        }
      if (right > 0.5 * looks)
        spared.push([shop.host, shop.broken?.way.name, shop.traits.layout, shop.traits.kind, `${right} of ${looks}`])
    }

    expect(spared).toEqual([])
  })
})

describe('the truth', () => {
  it('is the same for the same seed, and another for another', () => {
    const prices = (seed: string): string =>
      JSON.stringify(
        [...shopsOf({ ...WORLD, seed }).shops.values()].flatMap(({ lives }) => lives.map((life) => life.at(FROM + DAY_MS))),
      )

    expect(prices('one')).toBe(prices('one'))
    expect(prices('one')).not.toBe(prices('two'))
  })

  it('has products that come, go and come back, prices that change alone and many at once, more by day than by night', () => {
    const lives = [...shopsOf(WORLD).shops.values()].flatMap((shop) => shop.lives)
    const hours = Array.from({ length: 168 }, (_, hour) => FROM + hour * HOUR_MS)
    const changes = hours.map((at) => lives.filter((life) => life.changedAt(at) > at - HOUR_MS && at > FROM).length)
    const returned = lives.filter((life) =>
      hours.some((at, n) => n > 0 && life.at(at) && !life.at(at - HOUR_MS) && at > life.cameAt + HOUR_MS),
    )
    const sum = (some: readonly number[]): number => some.reduce((all, one) => all + one, 0)

    expect(sum(changes)).toBeGreaterThan(1_500)
    expect(Math.max(...changes)).toBeGreaterThan(2 * (sum(changes) / 168))
    expect(returned.length).toBeGreaterThan(5)
    expect(lives.filter(({ cameAt }) => cameAt > FROM).length).toBeGreaterThan(15)
    // 2026-01-01 is a Thursday: hours 0 to 5 and 7 to 11 of Friday.
    expect(sum(changes.slice(25, 30))).toBeLessThan(sum(changes.slice(31, 36)))
  })
})
