// What `avocet why` is made of: every plugin's answer about a host at rest.
import { describe, expect, it } from 'vitest'
import { definePlugin, explainHost, type Plugin } from '../../src/index.ts'

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

describe('a host at rest', () => {
  it('is held by every plugin that says so, the latest answer first, each under its name', () => {
    const record = { hostKey: 'shop.test', waiting: 3, memory: { slow: '[1,{"until":5000}]' } }

    const { holds, readyAt, values } = explainHost({ plugins: [shy, slow], record, now: 1_000 })

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

    const { values } = explainHost({ plugins: [broken], record: { hostKey: 'shop.test', waiting: 0, memory: {} }, now: 0 })

    expect(values['broken']).toEqual({ problem: expect.stringMatching(problem) as string })
  })

  it('is explained although a plugin throws', () => {
    const record = { hostKey: 'shop.test', waiting: 0, memory: {} }

    expect(explainHost({ plugins: [broken], record, now: 0 }).holds).toEqual([
      { by: 'broken', why: 'threw in admit: no', until: 0 },
    ])
  })
})
