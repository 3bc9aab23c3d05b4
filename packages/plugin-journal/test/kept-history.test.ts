// What processes keep of the history is counted once, whichever of them died, opened at the same time, or wrote nothing yet.
import { describe, expect, it } from 'vitest'
import { crawlHistory } from '../src/index.ts'
import { keptHistory, historyText, takenOverFrom, type KeptHistory } from '../src/crawl-recorder.ts'
import { RateSeries } from '../src/laws/rate-series.ts'

const START = Date.UTC(2026, 0, 5)
const WEEK = 7 * 86_400_000

/** A process that did `requests`, and goes on with `past`. */
function process(
  id: string,
  requests: number,
  past: Pick<KeptHistory, 'takenOver' | 'past'> = { takenOver: [], past: [] },
): KeptHistory {
  const series = new RateSeries()
  if (requests > 0) series.at(START).requests = requests
  return { id: requests > 0 ? id : '', own: series.atRest, ...past }
}

/** What one goes on with that opens while `running` are there, and `gone` are not any more. */
const opened = (gone: readonly KeptHistory[], running: readonly KeptHistory[] = []): Pick<KeptHistory, 'takenOver' | 'past'> =>
  takenOverFrom(
    [...gone.map((kept) => ({ kept, isRunning: false })), ...running.map((kept) => ({ kept, isRunning: true }))],
    START + 60_000,
  )

const requestsOf = (...all: readonly KeptHistory[]): number =>
  crawlHistory(leaving(all.map(historyText))).steps.reduce((sum, { requests }) => sum + requests, 0)

/** A crawl whose processes left these. */
const leaving = (texts: readonly string[]): Parameters<typeof crawlHistory>[0] => ({ texts: () => texts })

describe('what processes keep of the history', () => {
  it('comes back from its text, and another version is none', () => {
    const kept = process('a', 5, opened([process('b', 3)]))

    expect(keptHistory(historyText(kept))).toEqual(kept)
    expect(keptHistory('2|a||')).toBeUndefined()
    expect(keptHistory('')).toBeUndefined()
    expect(crawlHistory(leaving(['{"broken', '']))).toEqual({ widthMs: 0, steps: [] })
  })

  it('is the sum of those that run', () => {
    expect(requestsOf(process('a', 1), process('b', 20), process('c', 300))).toBe(321)
  })

  it('is counted once where one process goes on with others that are gone', () => {
    const [a, b] = [process('a', 1), process('b', 20)]
    const c = process('c', 300, opened([a, b]))

    expect(requestsOf(c)).toBe(321)
    // What it goes on with is still in the store until it has written.
    expect(requestsOf(a, b, c)).toBe(321)
  })

  it('is counted once where four open at the same time and all go on with the same, and again after they died', () => {
    const before = [process('a', 1), process('b', 20)]
    const four = ['c', 'd', 'e', 'f'].map((id) => process(id, 100, opened(before)))
    const next = ['g', 'h'].map((id) => process(id, 1_000, opened(four)))

    expect(requestsOf(...four)).toBe(421)
    expect(requestsOf(...next)).toBe(2_421)
  })

  it('loses nothing where one of those survives the others, and what went on with them dies', () => {
    const before = [process('a', 1), process('b', 20)]
    const [c, d] = [process('c', 100, opened(before)), process('d', 300, opened(before))]
    const e = process('e', 1_000, opened([c], [d]))
    const f = process('f', 5_000, opened([e], [d]))
    const g = process('g', 10_000, opened([d], [f]))

    expect(requestsOf(d, e)).toBe(1_421)
    expect(requestsOf(d, f)).toBe(6_421)
    expect(requestsOf(f, g)).toBe(16_421)
    expect(requestsOf(process('h', 0, opened([f, g])))).toBe(16_421)
  })

  it('is whole after a hundred restarts of four processes, and takes no more than those four', () => {
    let running = [process('0', 1)]
    for (let n = 1; n <= 100; n++) running = [1, 2, 3, 4].map((one) => process(`${n}-${one}`, 10, opened(running)))

    expect(requestsOf(...running)).toBe(1 + 100 * 40)
    for (const kept of running) expect(historyText(kept).length).toBeLessThan(4_000)
  })
})

describe('four weeks of four processes', () => {
  const texts = [0, 1, 2, 3].map((one) => {
    const series = new RateSeries()
    // The crawl rests for two days.
    for (let at = START; at < START + 4 * WEEK; at += 10_000) {
      if (at >= START + WEEK && at < START + WEEK + 2 * 86_400_000) continue
      const bin = series.at(at)
      Object.assign(bin, {
        requests: 150 + one,
        pages: 140,
        items: 140,
        wireBytes: 3_072_000,
        busyMs: 90_000,
        refusals: at % 60_000 === 0 ? 1 : 0,
      })
      for (let bucket = 5; bucket < 17; bucket++) bin.latency[bucket] = 5
    }
    return historyText({ id: `p${one}`, own: series.atRest, takenOver: [], past: [] })
  })
  const processes = leaving(texts)

  it('open in far less than a second, whole, with the rest as a gap', () => {
    const began = performance.now()
    const { widthMs, steps } = crawlHistory(processes)
    const tookMs = performance.now() - began

    expect(tookMs).toBeLessThan(500)
    expect(widthMs).toBe(2 * 3_600_000)
    expect(steps).toHaveLength(26 * 12)
    expect(steps[0]).toMatchObject({ at: START, requests: 720 * (150 + 151 + 152 + 153), failures: 0, inFlight: 36 })
    expect(steps.reduce((sum, { requests }) => sum + requests, 0)).toBe(26 * 8_640 * 606)
    expect(steps[0]?.quantiles).toEqual({ p50Ms: 128, p90Ms: 724, p99Ms: 1_024 })
  })

  it.each([
    ['ten minutes', 600_000, 10_000, 60],
    ['an hour', 3_600_000, 10_000, 360],
    ['six hours', 6 * 3_600_000, 60_000, 360],
    ['a day', 86_400_000, 300_000, 288],
    ['a week', WEEK, 1_800_000, 336],
  ])('give the last %s', (_, lengthMs, widthMs, count) => {
    const to = START + 4 * WEEK
    const last = crawlHistory(processes, { from: to - lengthMs, to })

    expect(last.widthMs).toBe(widthMs)
    expect(last.steps).toHaveLength(count)
    expect(last.steps.every(({ requests }) => requests === (widthMs / 10_000) * 606)).toBe(true)
  })

  it('give no more points than were asked for', () => {
    for (const points of [2, 3, 10, 200, 400]) {
      const { steps } = crawlHistory(processes, { from: START + 1_234_567, to: START + 4 * WEEK - 7_654_321, points })
      expect(steps.length).toBeLessThanOrEqual(points)
      expect(steps.length).toBeGreaterThan(0)
    }
    expect(crawlHistory(processes, { from: START + 5 * WEEK })).toEqual({ widthMs: 0, steps: [] })
    expect(crawlHistory(processes, { from: 9, to: 8 })).toEqual({ widthMs: 0, steps: [] })
  })
})
