// The series of one process: what is noted is there at each resolution, in few bytes, whatever the clock does.
import { describe, expect, it } from 'vitest'
import { addBin, binOf, binText, emptyBin, latencyOfBin, type RateBin } from '../src/laws/rate-bin.ts'
import { joinedSeries, RateSeries, seriesOf, seriesText, TIERS, type SeriesAtRest } from '../src/laws/rate-series.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Monday, at midnight. */
const START = Date.UTC(2026, 0, 5)

const requestsIn = (series: SeriesAtRest, tier: number): number =>
  (series[tier] ?? []).reduce((sum, { place, text }) => sum + binOf(place, text).requests, 0)

const noted = (series: RateSeries, at: number, count = 1): void => {
  series.at(at).requests += count
}

const busyBin = (): RateBin => {
  const bin = emptyBin(7)
  Object.assign(bin, {
    requests: 1_500,
    pages: 1_400,
    items: 20_000,
    wireBytes: 30 * 1_024 * 1_024,
    busyMs: 98_000,
    refusals: 3,
    retries: 9,
  })
  Object.assign(bin.failures, { dns: 1, connect: 0, timeout: 40, other: 2 })
  bin.latency.splice(4, 5, 1, 6, 100, 1_000, 3)
  return bin
}

describe('a bin', () => {
  it('comes back from its text', () => {
    expect(binOf(7, binText(busyBin()))).toEqual({ ...busyBin(), latency: expect.any(Array) })
    expect(binOf(0, binText(emptyBin(0)))).toEqual(emptyBin(0))
  })

  it('keeps counts of latencies within 17 %, few of them exactly, and never loses one', () => {
    for (let count = 1; count < 10_000_000; count = Math.ceil(count * 1.07)) {
      const bin = emptyBin(0)
      bin.latency[30] = count
      const kept = binOf(0, binText(bin)).latency[30] ?? 0
      expect(Math.abs(kept - count) / count).toBeLessThan(0.17)
      if (count <= 5) expect(kept).toBe(count)
    }
  })

  it('takes 31 characters for ten seconds at 15 requests a second', () => {
    const bin = emptyBin(0)
    Object.assign(bin, { requests: 150, pages: 140, items: 140, wireBytes: 3_000_000, busyMs: 90_000, refusals: 1 })
    bin.latency.splice(5, 12, 1, 2, 9, 20, 40, 38, 20, 10, 5, 3, 1, 1)

    expect(binText(bin).length).toBeLessThanOrEqual(31)
  })

  it('is read as far as it goes where its text is cut off, and never has more than it can have', () => {
    const text = binText(busyBin())

    for (let end = 0; end <= text.length; end++)
      for (const garbage of ['', '"', '____________________________________________________'])
        for (const amount of latencyOfBin(binOf(0, text.slice(0, end) + garbage))) expect(Number.isSafeInteger(amount)).toBe(true)
  })

  it('is the sum of two', () => {
    const sum = busyBin()

    addBin(sum, busyBin())

    expect(sum).toMatchObject({ requests: 3_000, failures: { timeout: 80 } })
    expect(latencyOfBin(sum)).toEqual([4, 2, 12, 200, 2_000, 6])
  })
})

describe('a series', () => {
  it('has all of a day at each resolution that reaches so far back, and the last hour by ten seconds', () => {
    const series = new RateSeries()
    for (let at = START; at < START + DAY; at += 5_000) noted(series, at)

    const counts = TIERS.map((_, tier) => requestsIn(series.atRest, tier))

    // 360 bins of two requests and the open one; 360 of twelve and what is open; all of the day from there on.
    expect(counts).toEqual([722, 360 * 12 + 12, 17_280, 17_280, 17_280, 17_280])
  })

  it('has no bin for a rest', () => {
    const series = new RateSeries()
    noted(series, START)
    noted(series, START + 3 * HOUR)

    expect(series.atRest.map((bins) => bins.length)).toEqual([2, 2, 2, 2, 2, 1])
  })

  it('comes back from its text', () => {
    const series = new RateSeries()
    for (let at = START; at < START + 3 * HOUR; at += 7_000) noted(series, at, 3)

    expect(seriesOf(seriesText(series.atRest))).toEqual(series.atRest)
    expect(seriesOf('')).toEqual(TIERS.map(() => []))
  })

  it('loses nothing to a clock that jumps, and goes on at the new time', () => {
    const series = new RateSeries()
    for (const jump of [0, -30_000, 365 * DAY, -DAY, 0, -START, 2 * DAY]) {
      for (let n = 0; n < 20; n++) noted(series, START + jump + n * 1_000)
    }
    const rest = seriesOf(seriesText(series.atRest))

    for (const [tier] of TIERS.entries()) expect(requestsIn(rest, tier)).toBe(140)
    expect(rest[0]?.at(-1)?.place).toBe((START + 2 * DAY + 10_000) / 10_000)
  })

  it('takes 64 KiB at most for a year without a rest, at 15 requests a second', () => {
    const series = new RateSeries()
    const latency = [1, 2, 9, 20, 40, 38, 20, 10, 5, 3, 1, 1]
    const crawled = (at: number, times: number): void => {
      const [requests, pages, items, wireBytes, busyMs, refusals] = [150, 140, 141, 3_000_000, 90_000, 1].map(
        (count) => count * times,
      )
      Object.assign(series.at(at), { requests, pages, items, wireBytes, busyMs, refusals })
      latency.forEach((count, n) => (series.at(at).latency[5 + n] = count * times))
    }
    for (let at = START; at < START + 364 * DAY; at += 10 * MINUTE) crawled(at, 60)
    for (let at = START + 364 * DAY; at < START + 366 * DAY; at += 10_000) crawled(at, 1)

    const text = seriesText(series.atRest)

    expect(series.atRest.map((bins) => bins.length)).toEqual([361, 361, 291, 341, 341, 366])
    expect(text.length).toBeLessThan(64 * 1_024)
    expect(text.length).toBeGreaterThan(50 * 1_024)
  })

  it('is joined with others bin by bin, without what is out of reach', () => {
    const [a, b] = [new RateSeries(), new RateSeries()]
    for (let at = START; at < START + 2 * HOUR; at += 10_000) {
      noted(a, at)
      noted(b, at + 5_000, 2)
    }

    const joined = joinedSeries([a.atRest, b.atRest])
    const later = joinedSeries([joined], START + 4 * HOUR)

    expect(joined.map((bins) => bins.length)).toEqual([360, 120, 24, 4, 1, 1])
    for (const tier of [1, 2, 3, 4, 5]) expect(requestsIn(joined, tier)).toBe(2_160)
    expect(later.map((bins) => bins.length)).toEqual([0, 120, 24, 4, 1, 1])
  })
})
