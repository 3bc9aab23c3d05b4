// A sink that fails for one item, and runs that end before the item is found: what one run learned, the next one knows.
import { memoryFrontier } from 'avocet'
import { sink } from '@avocet/core/sink'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'

const HOUR_MS = 3_600_000

it.each([
  { count: 20, bad: 3 },
  { count: 100, bad: 50 },
  { count: 300, bad: 7 },
  { count: 300, bad: 0 },
  { count: 1_000, bad: 700 },
])('has all others of $count items after five hourly runs when item $bad can never be written', async ({ count, bad }) => {
  const seeds = Array.from({ length: count }, (_, n) => `http://shop.test/${n}`)
  const script = Object.fromEntries(seeds.map((url) => [url, {}]))
  const written: string[] = []
  const picky = sink<{ path: string }>(
    (items) => {
      if (items.some(({ value }) => value.path === `/${bad}`)) throw new Error('400 Bad Request')
      written.push(...items.map(({ value }) => value.path))
    },
    { name: 'picky' },
  )
  const clock = new VirtualClock()
  const frontier = memoryFrontier()

  for (let hour = 0; hour < 5; hour++) {
    await run(script, { spider: pathSpider(seeds), sinks: [picky], delayMs: 0, clock, frontier })
    await clock.advance(HOUR_MS)
  }

  const others = seeds.map((url) => new URL(url).pathname).filter((path) => path !== `/${bad}`)
  expect(written.toSorted()).toEqual(others.toSorted())
})
