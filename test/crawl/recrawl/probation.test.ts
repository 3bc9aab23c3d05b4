// Pages that are missing for a while, or that failed when they were first asked for, in crawls that watch: none is lost to a bad hour.
import { memoryFrontier, type CrawlConfig, type RecrawlRule } from 'avocet'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const URL = 'http://shop.test/p'
const HOUR_MS = 3_600_000
const there: Answer = { body: 'there' }
const missing: Answer = { status: 404 }
const gone: Answer = { status: 410 }
const broken: Answer = { status: 500 }
const moved: Answer = { status: 301, headers: { location: '/maintenance' } }

/** One page, asked for hourly: `answers` in their order, the last one from then on. */
function watched(
  answers: readonly Answer[],
  hours: number,
  rule: Partial<RecrawlRule> = {},
  more: Partial<CrawlConfig> = {},
): Promise<Ran> {
  const recrawl = [{ everyMs: HOUR_MS, match: /\/p$/, ...rule }]
  return run(
    { [URL]: answers, 'http://shop.test/maintenance': there },
    { spider: pathSpider([URL]), recrawl, maxTimeMs: (hours + 0.5) * HOUR_MS, ...more },
  )
}

function times(answer: Answer, n: number): Answer[] {
  return Array.from({ length: n }, () => answer)
}

function visitsOf({ seen }: Ran): number {
  return seen.filter(({ outbound }) => outbound.url === URL).length
}

describe('a page that is missing in a visit', () => {
  it.each([
    ['ten minutes of 404', [there, missing, there]],
    ['ten minutes of 410', [there, gone, there]],
    ['an hour of 301 to a maintenance page', [there, moved, there]],
    ['a day of 404, but for an hour', [there, ...times(missing, 20), there, ...times(missing, 20), there]],
  ])('keeps its schedule: %s', async (_what, answers) => {
    const ran = await watched(answers, 60)

    expect(visitsOf(ran)).toBe(61)
    expect(ran.report.counts).toMatchObject({ failed: 0, again: 1 })
  })

  it('is gone once it was missing in three visits in a row with a day between them, and visited a day later', async () => {
    const ran = await watched([there, missing], 60)

    expect(visitsOf(ran)).toBe(1 + 25 + 1)
    expect(ran.report).toMatchObject({ ended: 'limit', counts: { done: 0, failed: 1, again: 1 }, probation: { pages: 0 } })
  })

  it('is requested in three rounds at least, however long they are, and then after one, two and four', async () => {
    const ran = await watched([there, missing], 24 * 30, { everyMs: 48 * HOUR_MS })

    expect(visitsOf(ran)).toBe(1 + 3 + 3)
  })

  it('counts for double with 410', async () => {
    const ran = await watched([there, gone], 24 * 30, { everyMs: 48 * HOUR_MS })

    expect(visitsOf(ran)).toBe(1 + 2 + 3)
  })

  it('is believed to have moved for good after the same', async () => {
    const ran = await watched([there, moved], 60)

    expect(visitsOf(ran)).toBe(1 + 25 + 1)
    expect(ran.report.counts).toMatchObject({ moved: 1, waiting: 0 })
  })

  it('is not given up any sooner, or later, for failures of another kind in between', async () => {
    const ran = await watched([there, ...times(missing, 2), ...times(broken, 40), missing], 60)

    expect(visitsOf(ran)).toBe(1 + 2 + 40 + 1)
  })

  it('stays for ever where the rule keeps it', async () => {
    const ran = await watched([there, missing], 60, { keep: true })

    expect(visitsOf(ran)).toBe(61)
  })

  it.each<[Partial<RecrawlRule>, number]>([
    [{ goneAfterVisits: 1, goneAfterMs: 0 }, 1],
    [{ goneAfterVisits: 5, goneAfterMs: 0 }, 5],
    [{ goneAfterVisits: 1 }, 25],
    [{ goneAfterMs: 2 * HOUR_MS }, 3],
    [{ goneAfterMs: 10 * HOUR_MS }, 11],
    [{ goneAfterVisits: 30 }, 30],
  ])('is gone after what the rule says: %j', async (rule, visits) => {
    expect(visitsOf(await watched([there, missing], 60, rule))).toBe(1 + visits + 1)
  })

  it('is named in the report, with why, since when, and when it is requested next', async () => {
    const { report } = await watched([there, there, missing], 4)

    expect(report.probation).toEqual({
      pages: 1,
      requests: [
        {
          url: URL,
          why: 'http-404',
          status: 404,
          since: report.startedAt + 2 * HOUR_MS + 10,
          visits: 3,
          nextAt: report.startedAt + 5 * HOUR_MS,
        },
      ],
    })
  })

  it('leaves the report when it is there again', async () => {
    const { report } = await watched([there, missing, there], 4)

    expect(report.probation).toEqual({ pages: 0, requests: [] })
  })

  it('keeps its place over a run without a rule', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    await watched([there, missing], 3, {}, { frontier, clock })
    await watched([missing], 1, {}, { frontier, clock, recrawl: [] })
    const third = await watched([there], 3, {}, { frontier, clock })

    expect(third.report.counts).toMatchObject({ done: 1, failed: 0, again: 1 })
  })

  it('stays on probation over a restart', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    const first = await watched([there, missing], 13, {}, { frontier, clock })
    const second = await watched([missing], 60, {}, { frontier, clock })

    expect(visitsOf(first) + visitsOf(second)).toBe(1 + 25 + 1)
  })
})

describe('a page that fails on its first visit', () => {
  it.each<[string, Answer]>([
    ['an error', broken],
    ['no answer', { fails: 'AVO_RESET' }],
    ['not found', missing],
    ['moved to a maintenance page', moved],
    ['moved for now', { status: 302, headers: { location: '/maintenance' } }],
  ])('is visited again in its next round: %s', async (_what, answer) => {
    const ran = await watched([answer, there], 3)

    expect(visitsOf(ran)).toBe(4)
    expect(ran.report.counts).toMatchObject({ failed: 0, moved: 0, again: 1 })
  })

  it('is visited again when it was the handler that threw', async () => {
    let calls = 0
    const spider = pathSpider([URL], {
      handlers: {
        *start() {
          if (++calls === 1) throw new Error('not today')
          yield { calls }
        },
      },
    })
    const ran = await watched([there], 3, {}, { spider })

    expect(ran.items).toEqual([{ calls: 2 }, { calls: 3 }, { calls: 4 }])
  })

  it('is left alone where no rule matches it', async () => {
    const ran = await watched([broken, there], 3, { match: /\/q$/ })

    expect(visitsOf(ran)).toBe(1)
    expect(ran.report).toMatchObject({ ended: 'done', counts: { failed: 1 } })
  })

  it('is gone like any other that was missing for a day', async () => {
    const ran = await watched([missing], 60)

    expect(visitsOf(ran)).toBe(25 + 1)
    expect(ran.report).toMatchObject({ counts: { failed: 1, again: 1 }, probation: { pages: 0 } })
  })

  it('is visited again by a later run that has a rule, and rarely by the one after it once it is gone', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    await watched([missing], 1, { match: /\/q$/ }, { frontier, clock })
    const second = await watched([missing], 60, {}, { frontier, clock })
    const third = await watched([there], 3, {}, { frontier, clock })

    expect(visitsOf(second)).toBe(25 + 1)
    expect(visitsOf(third)).toBe(0)
  })
})

describe('a page that an operator dropped', () => {
  it('is not visited by a later run that has a rule, until it is opened again', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    await watched([broken], 1, { match: /\/q$/ }, { frontier, clock })
    await frontier.open({ name: 'shop', hostKeying: 'host' }, clock.now())
    await frontier.change({ kind: 'drop', limit: 9 })
    await frontier.close()
    const second = await watched([there], 3, {}, { frontier, clock })
    await frontier.open({ name: 'shop', hostKeying: 'host' }, clock.now())
    await frontier.change({ kind: 'reopen', reasons: ['dropped-http-500'], limit: 9 })
    await frontier.close()
    const third = await watched([there], 3, {}, { frontier, clock })

    expect([visitsOf(second), visitsOf(third)]).toEqual([0, 4])
  })
})

describe('a page that a clock which was ahead took for gone', () => {
  const RIGHT = 1_767_225_600_000
  const DAY_MS = 24 * HOUR_MS

  /** Runs on one store, each by a clock that shows so much at its beginning, and for half an hour. */
  async function visits(...runs: readonly (readonly [hours: number, answer: Answer])[]): Promise<number[]> {
    const frontier = memoryFrontier()
    const asked: number[] = []
    for (const [hours, answer] of runs) {
      const clock = new VirtualClock({ startAt: RIGHT + hours * HOUR_MS })
      asked.push(visitsOf(await watched([answer], 0, { everyMs: DAY_MS }, { frontier, clock })))
    }
    return asked
  }

  it('is visited a day later, by the clock that is right', async () => {
    expect(await visits([0, there], [24, gone], [25 + 72, gone], [26, there], [51, there])).toEqual([1, 1, 1, 0, 1])
  })
})
