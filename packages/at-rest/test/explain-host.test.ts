// What `avocet why` is made of: every plugin's answer about a host at rest.
import { describe, expect, it } from 'vitest'
import { definePlugin, type Plugin } from '@avocet/core'
import { atRest } from '@avocet/at-rest'
import { memoryFrontier } from 'avocet'
import { AdmissionCollector } from '../../core/src/hooks/admission.ts'
import { freshCoreMemory } from '../../core/src/hosts/core-memory.ts'
import { LiveHost } from '../../core/src/hosts/live-host.ts'

const slow = definePlugin({
  name: 'slow',
  hostMemory: () => ({ until: 0 }),
  admit: (ask, host) => ask.notBefore(host.until, 'was asked to'),
  explain: (_asked, host) => ({ until: host.until }),
})
const shy = definePlugin({ name: 'shy', admit: (ask) => ask.notBefore(2_000, 'is shy') })
const broken = definePlugin({
  name: 'broken',
  admit() {
    throw new Error('no')
  },
})

describe('a host at rest', async () => {
  const crawl = await atRest(memoryFrontier().reader)

  it('is held by every plugin that says so, the latest answer first, each under its name', () => {
    const record = { hostKey: 'shop.test', waiting: 3, memory: { slow: '[1,{"until":5000}]' } }

    const { holds, readyAt, values } = crawl.explain(record, { plugins: [shy, slow], now: 1_000 })

    expect(holds.map(({ by, why, until }) => [by, why, until])).toEqual([
      ['slow', 'was asked to', 5_000],
      ['shy', 'is shy', 2_000],
    ])
    expect(readyAt).toBe(5_000)
    expect(values).toEqual({ slow: { until: 5_000 } })
  })

  it.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
      /^explain threw: boom$/,
    ],
    ['gives a promise', async () => ({}), /^explain is a Promise: expected a few named values$/],
    ['gives a BigInt', () => ({ n: 5n }), /^explain\.n is a bigint: /],
  ])('says so when the explain of a plugin %s', (_what, explain, problem) => {
    const broken = { name: 'broken', explain } as Plugin

    const { values } = crawl.explain({ hostKey: 'shop.test', waiting: 0, memory: {} }, { plugins: [broken], now: 0 })

    expect(values['broken']).toEqual({ problem: expect.stringMatching(problem) as string })
  })

  it.each([
    { failures: 1, atMost: Infinity },
    { failures: 2, atMost: 1 },
  ])('that failed $failures times in a row has the limit of $atMost that it has in the crawl', ({ failures, atMost }) => {
    const core = { ...freshCoreMemory(), proven: true, answered: true, consecutiveFailures: failures }
    const visit = { hostKey: 'shop.test', epoch: 1, memory: {}, requests: [], waiting: 1 }
    const host = new LiveHost(visit, { order: 0, core, options: {}, memory: [], virtualTime: 0, leasedAt: 0 })
    const inCrawl = new AdmissionCollector({ admit: { call: () => {} } }).ask(host, 1_000)

    const record = { hostKey: 'shop.test', waiting: 1, memory: { core: JSON.stringify([1, core]) } }
    const explained = crawl.explain(record, { plugins: [], now: 1_000 })

    expect([explained.atMost, inCrawl.atMost]).toEqual([atMost, atMost])
  })

  it.each<[string, unknown, unknown]>([
    ['a moment', { by: 'slow', why: 'was asked to', until: 5_000 }, { by: 'slow', why: 'was asked to', until: 5_000 }],
    ['no moment', { by: 'slow', why: 'waits', until: null }, { by: 'slow', why: 'waits', until: Infinity }],
    ['nothing', undefined, undefined],
  ])('was last held as its memory says: %s', (_what, heldFor, expected) => {
    const memory = { core: JSON.stringify([1, { ...freshCoreMemory(), heldFor }]) }

    expect(crawl.explain({ hostKey: 'shop.test', waiting: 1, memory }, { plugins: [], now: 0 }).heldFor).toEqual(expected)
  })

  it('is explained although a plugin throws', () => {
    const record = { hostKey: 'shop.test', waiting: 0, memory: {} }

    expect(crawl.explain(record, { plugins: [broken], now: 0 }).holds).toEqual([
      { by: 'broken', why: 'threw in admit: no', until: 0 },
    ])
  })
})
