// A hundred hosts whose robots.txt is on one host: it is asked one at a time, a second apart.
import { crawl, memoryFrontier } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider } from './harness.ts'
import { scriptedWeb, type Answer } from './scripted-web.ts'

const CENTRAL = 'http://central.test'
const SHOPS = Array.from({ length: 100 }, (_, n) => `http://shop${n}.test`)

interface Felt {
  /** Moments, in ms since the start, at which the central host was asked. */
  readonly at: readonly number[]
  readonly pages: number
}

/** Crawls the shops, each of which redirects to the path that `pathOf` says; tells what the central host felt. */
async function felt(pathOf: (n: number) => string, answer: (asked: number) => Answer): Promise<Felt> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const at: number[] = []
  const script: Record<string, Answer> = {}
  for (const [n, shop] of SHOPS.entries()) {
    script[`${shop}/robots.txt`] = { status: 302, headers: { location: CENTRAL + pathOf(n) } }
    script[`${shop}/`] = { body: 'ok' }
    Object.defineProperty(script, CENTRAL + pathOf(n), {
      configurable: true,
      get: () => answer(at.push(clock.now() - startedAt)),
    })
  }
  const made = crawl({
    spider: pathSpider(SHOPS.map((shop) => `${shop}/`)),
    policies: polite(),
    randomSeed: 'central',
    frontier: memoryFrontier(),
    clock,
    fetcher: scriptedWeb(clock, script),
  })
  const { run } = await clock.run(() => made.run())
  return { at, pages: run.pages }
}

function gaps(at: readonly number[]): readonly number[] {
  return at.slice(1).map((ms, n) => ms - (at[n] ?? 0))
}

describe('a host that a hundred hosts are led to for their robots.txt', () => {
  it.each([20, 3_000])('is asked one at a time, a second apart, where each has its own and takes %d ms', async (afterMs) => {
    const { at, pages } = await felt(
      (n) => `/robots/${n}.txt`,
      () => ({ body: '', afterMs }),
    )

    expect([at.length, pages]).toEqual([100, 100])
    expect(Math.min(...gaps(at))).toBeGreaterThanOrEqual(afterMs + 1_000)
  })

  it('is left alone after a 429 for a minute, or for as long as it says', async () => {
    const { at, pages } = await felt(
      (n) => `/robots/${n}.txt`,
      (asked) => (asked === 10 || asked === 20 ? { status: 429, headers: { 'retry-after': `${asked * 10}` } } : { body: '' }),
    )

    expect(pages).toBe(100)
    expect(gaps(at)[9]).toBeGreaterThanOrEqual(100_000)
    expect(gaps(at)[19]).toBeGreaterThanOrEqual(200_000)
  })
})
