// Pages that a seed asks for in each run, and that a rule of `recrawl` has visited in rounds: rounds alone say what is gone, and when the next one is.
import { spider, type RecrawlRule } from 'avocet'
import type { OutgoingRequest } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { html, runs, type Run } from '../runs.ts'
import type { Answer } from '../scripted-web.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const PAGE = 'http://shop.test/p'
const missing: Answer = { status: 404 }

const asks = spider({ name: 'asks', seeds: [{ url: PAGE, again: true }], handlers: { *start() {} } })
const asksForNothing = spider({ name: 'asks', seeds: ['http://shop.test/q'], handlers: { *start() {} } })

const asksForTwo = spider({
  name: 'asks',
  seeds: [
    { url: 'http://shop.test/q', priority: 1 },
    { url: PAGE, again: true },
  ],
  handlers: { *start() {} },
})

function shop(...answers: readonly Answer[]): { script: Record<string, Answer | readonly Answer[]>; spider: typeof asks } {
  return { script: { [PAGE]: answers, 'http://shop.test/q': html() }, spider: asks }
}

function requestsIn({ asked }: Run): number {
  return asked.filter((each) => each.endsWith(' /p')).length
}

describe.each(['memory', 'sqlite'])('pages that are asked for and have rounds, in a store of %s', (kind) => {
  it('are not gone for a rule that comes later because a visit without one found them missing', async () => {
    const recrawl = [{ everyMs: HOUR_MS }]
    const all = await runs(kind, shop(html(), missing, html()), {}, {}, { spider: asksForNothing, recrawl, maxTimeMs: MINUTE_MS })

    expect(all.map(requestsIn)).toEqual([1, 1, 1])
    expect(all[2]?.report.counts).toMatchObject({ done: 2, failed: 0, again: 2 })
  })

  it('are not gone either when their first visit found them missing, and a plugin dropped the second', async () => {
    const refuses = {
      name: 'no',
      beforeRequest(outgoing: OutgoingRequest) {
        if (outgoing.exchange.request.url === PAGE) outgoing.drop('no')
      },
    }
    const recrawl = [{ everyMs: HOUR_MS }]
    const all = await runs(kind, shop(missing, html()), {}, { plugins: [refuses] }, { recrawl, maxTimeMs: MINUTE_MS })

    expect(all.map(requestsIn)).toEqual([1, 0, 1])
    expect(all[1]?.records[0]).toMatchObject({ reason: 'no', status: 404, visits: 2 })
    expect(all[2]?.report.counts).toMatchObject({ done: 1, failed: 0, again: 1 })
  })

  it.each<[string, Partial<RecrawlRule>]>([
    ['whatever the rule says of the time', { goneAfterVisits: 3, goneAfterMs: 0 }],
    ['by the defaults', {}],
  ])('are not gone because ten runs within an hour asked for them while they were missing, %s', async (_, gone) => {
    const recrawl = [{ everyMs: 48 * HOUR_MS, ...gone }]
    const config = { recrawl, maxTimeMs: MINUTE_MS }
    const site = { ...shop(html(), missing), apartMs: 3 * MINUTE_MS }
    const all = await runs(kind, site, ...Array.from({ length: 11 }, () => config))

    expect(all.map(requestsIn)).toEqual(Array.from({ length: 11 }, () => 1))
    expect(all.at(-1)?.report.counts).toMatchObject({ failed: 1, again: 1 })
    expect(all.at(-1)?.records[0]).not.toHaveProperty('missing')
  })

  it('are gone after as many rounds as others, and are there again once a visit that was asked for finds them', async () => {
    const recrawl = [{ everyMs: 12 * HOUR_MS, goneAfterVisits: 2, goneAfterMs: 0 }]
    const config = { recrawl, maxTimeMs: MINUTE_MS }
    const all = await runs(kind, shop(html(), missing, missing, missing, html()), config, config, config, config, config)

    expect(all.map(requestsIn)).toEqual([1, 1, 1, 1, 1])
    expect(all.map(({ report }) => report.counts.again ?? 0)).toEqual([1, 1, 1, 1, 1])
    expect(all.map(({ records }) => records[0]?.gone ?? false)).toEqual([false, false, true, true, false])
  })

  it('stay gone for a rule when a run without one asks for them in vain', async () => {
    const recrawl = [{ everyMs: 12 * HOUR_MS, goneAfterVisits: 1, goneAfterMs: 0 }]
    const config = { recrawl, maxTimeMs: MINUTE_MS }
    const nothing = { ...config, spider: asksForNothing }
    const all = await runs(kind, shop(missing), config, nothing, {}, nothing)

    expect(all.map(requestsIn)).toEqual([1, 1, 1, 1])
    expect(all.map(({ records }) => records[0]?.gone)).toEqual([true, true, true, true])
  })

  it('are gone no longer when they are there again and their handler fails', async () => {
    const recrawl = [{ everyMs: 12 * HOUR_MS, goneAfterVisits: 1, goneAfterMs: 0 }]
    const config = { recrawl, maxTimeMs: MINUTE_MS }
    const handlers = {
      *start() {
        yield { name: 'tea' }
        throw new Error('no price')
      },
    }
    const all = await runs(kind, { ...shop(missing, html()), spider: spider({ ...asks, handlers }) }, config, config)

    expect(all.map(({ records }) => records[0]?.gone ?? false)).toEqual([true, false])
    expect(all[1]?.report.counts).toMatchObject({ failed: 1, again: 1 })
  })

  it('come in the rounds of a rule that has become shorter while they waited for the visit', async () => {
    const match = /\/p$/
    const long = { recrawl: [{ everyMs: 720 * HOUR_MS, match }], maxTimeMs: MINUTE_MS }
    const hourly = { recrawl: [{ everyMs: HOUR_MS, match }], maxTimeMs: 2.5 * HOUR_MS, spider: asksForNothing }
    const isNoTurn = { ...long, maxPages: 1, spider: asksForTwo }
    const all = await runs(kind, shop(html()), long, isNoTurn, hourly)

    expect(all.map(requestsIn)).toEqual([1, 0, 3])
  })
})
