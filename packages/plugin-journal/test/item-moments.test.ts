// When items were stored, worked out from their numbers: never wrong, and as exact as the history is.
import { crawl, definePlugin, memoryFrontier, spider } from 'avocet'
import { sleepUntil } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { itemMoments, journal, type StoredWithin } from '../src/index.ts'
import { countedStretches, momentsOfNumbers, type CountedStretch, type NumberedItems } from '../src/laws/item-moments.ts'
import { RateSeries, TIERS } from '../src/laws/rate-series.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const stretch = (from: number, to: number, items: number): CountedStretch => ({ from, to, items })
const within = (stretches: readonly CountedStretch[], known: Partial<NumberedItems>, numbers: readonly number[]): string[] =>
  momentsOfNumbers(stretches, { last: 0, since: 0, until: 99, ...known }, numbers).map((moment) =>
    moment === undefined ? 'unknown' : `${moment.from}-${moment.to}`,
  )

describe('the moment of an item', () => {
  it.each<[string, readonly CountedStretch[], number, readonly number[], readonly string[]]>([
    [
      'is in the stretch in which the sum reaches its number',
      [stretch(0, 10, 3), stretch(20, 30, 2)],
      5,
      [1, 3, 4, 5],
      ['0-10', '0-10', '20-30', '20-30'],
    ],
    ['is not known without a history', [], 5, [1], ['unknown']],
    [
      'may be in either of two stretches that overlap',
      [stretch(0, 10, 2), stretch(5, 15, 2)],
      4,
      [1, 2, 3],
      ['0-10', '0-10', '5-15'],
    ],
    [
      'may be earlier by what was not written down',
      [stretch(0, 10, 3), stretch(20, 30, 3)],
      7,
      [3, 4, 5, 7],
      ['0-10', '0-30', '20-30', '20-99'],
    ],
    ['may be later by what was counted twice', [stretch(0, 10, 3), stretch(20, 30, 3)], 5, [2, 3, 5], ['0-10', '0-30', '20-30']],
  ])('%s', (_what, stretches, last, numbers, expected) => {
    expect(within(stretches, { last }, numbers)).toEqual(expected)
  })

  it('is before the history began where that is the older one', () => {
    const late = [stretch(2 * DAY, 3 * DAY, 4)]

    expect(within(late, { last: 10, until: 9 * DAY }, [6, 7, 10])).toEqual([
      `0-${2 * DAY}`,
      `${2 * DAY}-${3 * DAY}`,
      `${2 * DAY}-${3 * DAY}`,
    ])
  })

  it('is never later than now', () => {
    expect(within([stretch(80, 120, 3)], { last: 3 }, [1, 3, 9])).toEqual(['80-99', '80-99', '99-99'])
  })
})

describe('the stretches of a series', () => {
  it('have each item once, and what is older in longer ones', () => {
    const series = new RateSeries()
    for (let n = 0; n < 40 * 24; n++) series.at(n * HOUR + 7 * MINUTE).items += 2

    const stretches = countedStretches(series.atRest)

    expect(stretches.reduce((sum, { items }) => sum + items, 0)).toBe(2 * 40 * 24)
    const sorted = stretches.toSorted((a, b) => a.from - b.from)
    sorted.slice(1).forEach(({ from }, n) => expect(from).toBeGreaterThanOrEqual(sorted[n]?.to ?? 0))
    const widths = sorted.map(({ from, to }) => to - from)
    expect([widths[0], widths.at(-1)]).toEqual([DAY, TIERS[0]?.widthMs])
  })
})

describe('the moments of the items of a crawl', () => {
  it('have each moment at which an item was stored in them, over ten days of hourly visits, rests and restarts', async () => {
    const { stored, moments } = await crawledFor(10)

    expect(stored.length).toBeGreaterThan(500)
    expect(moments).toHaveLength(stored.length)
    stored.forEach((at, index) => {
      expect(moments[index]?.from).toBeLessThanOrEqual(at)
      expect(moments[index]?.to).toBeGreaterThanOrEqual(at)
    })
    const widths = moments.map((moment) => (moment?.to ?? Infinity) - (moment?.from ?? 0))
    expect(Math.max(...widths)).toBeLessThanOrEqual(2 * HOUR)
    expect(Math.max(...widths.slice(-3 * 24 * 3))).toBeLessThanOrEqual(HOUR / 2)
    expect(Math.max(...widths.slice(-3))).toBeLessThanOrEqual(10_000)
  })
})

/** A shop whose pages are visited every hour for so many days, in runs of 50 hours with two hours between them. */
async function crawledFor(
  days: number,
): Promise<{ readonly stored: readonly number[]; readonly moments: readonly (StoredWithin | undefined)[] }> {
  const prices = { everyMs: HOUR, ratio: 0.9 }
  const model = siteModel({ seed: 'moments', hosts: [{ name: 'shop.example', pages: { kind: 'shop', products: 4, prices } }] })
  const clock = new VirtualClock()
  const [began, fetcher, frontier] = [clock.now(), simulatedWeb(model, { clock }), memoryFrontier()]
  const stored: number[] = []
  const noted = definePlugin({
    name: 'noted',
    outsideEffects: false,
    onSettled: ({ items, now }) => void stored.push(...Array.from({ length: items }, () => now)),
  })
  while (clock.now() < began + days * DAY) {
    const run = crawl({
      policies: [],
      spider: spider({
        name: 'moments',
        seeds: model.seeds(),
        handlers: {
          *start(page) {
            yield* page.links('a.category')
            yield* page.links('a.product', { handler: 'product' })
          },
          *product(page) {
            yield { price: page.text('.price') }
          },
        },
      }),
      ...{ frontier, clock, fetcher, plugins: [journal(), noted], maxTimeMs: 50 * HOUR },
      recrawl: [{ everyMs: HOUR, match: 'product' }],
    })
    await clock.run(() => run.run())
    await clock.run(() => sleepUntil(clock, clock.now() + 2 * HOUR))
  }
  const { reader } = frontier
  const known = { last: stored.length, since: (await reader.info()).createdAt, until: clock.now() }
  const numbers = stored.map((_, index) => index + 1)
  return { stored, moments: itemMoments(await atRest(reader), known, numbers) }
}
