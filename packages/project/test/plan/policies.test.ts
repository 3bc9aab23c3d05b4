// How hosts are treated when nobody says anything, and what the command line changes about it.
import type { CrawlConfig } from '@avocet/core'
import { definePlugin } from '@avocet/core'
import { fixedDelay } from 'avocet'
import { activePlugins } from 'avocet'
import { polite, ratePolicy } from '@avocet/preset-polite'
import { describe, expect, it } from 'vitest'
import type { CrawlOptions } from '../../src/options/crawl-options.ts'
import { explainersOf, hostOptionsOf, treatmentOf, treatmentText, type Treatment } from '../../src/plan/policies.ts'

const POLITE = ['adaptive-timeout', 'aimd', 'breaker', 'journal', 'limits', 'retry', 'robots']

function namesOf(treatment: Treatment, rate?: CrawlOptions['rate']): readonly string[] {
  return activePlugins(treatmentOf(treatment, rate)).map(({ name }) => name)
}

describe('the plugins of a crawl', () => {
  it('are the five policies, the limits that hosts are found to share, and the journal, which decides nothing', () => {
    expect(namesOf({}).toSorted()).toEqual(POLITE)
  })

  it('are added to the policies', () => {
    const own = definePlugin({ name: 'own' })

    expect(namesOf({ plugins: [own] }).toSorted()).toEqual([...POLITE, 'own'].toSorted())
  })

  it('replace the policy that they implement, and no other', () => {
    const own = definePlugin({ name: 'own', policy: 'rate' })

    expect(namesOf({ plugins: [own] }).toSorted()).toEqual(['adaptive-timeout', 'breaker', 'journal', 'own', 'retry', 'robots'])
  })

  it('have the limits that hosts share beside them, whatever the rate that was typed', () => {
    const config: Partial<CrawlConfig> = { limits: [{ match: '*.shops.example', maxRps: 2 }] }
    const explainers = explainersOf(config)({ memory: { core: '[1,{"rate":"unpaced"}]' } })

    expect(treatmentText({ ...treatmentOf(config), ...config })).toMatch(/; plugins: limits$/)
    expect(explainers.plugins.map(({ name }) => name).toSorted()).toEqual(
      ['adaptive-timeout', 'breaker', 'journal', 'limits', 'retry', 'robots', 'unpaced'].toSorted(),
    )
  })

  it('keep a fixed delay, when there is no policy', () => {
    expect(namesOf({ policies: [] })).toEqual(['journal', 'fixed-delay'])
  })

  it('are left alone when one of them is a journal', () => {
    const own = [definePlugin({ name: 'journal' })]

    expect(treatmentOf({ plugins: own }).plugins).toBe(own)
  })

  it('keep what the configuration says of the rate that is typed', () => {
    const slow = polite({ rate: { maxRps: 0.2 } })
    const plugins = activePlugins(treatmentOf({ policies: slow }, 'learned'))

    expect(plugins.find(({ name }) => name === 'aimd')?.options).toBe(slow.find(({ name }) => name === 'aimd')?.options)
  })

  it.each([
    ['fixed', 'fixed-delay'],
    ['none', 'unpaced'],
    ['learned', 'aimd'],
  ] as const)('have the rate that is typed, whatever the configuration has: %s', (rate, name) => {
    const others = ['adaptive-timeout', 'breaker', 'journal', 'retry', 'robots']

    for (const configured of [
      {},
      { policies: polite({ rate: 'none' }) },
      { plugins: [fixedDelay()] },
      { plugins: [ratePolicy({})] },
    ])
      expect(namesOf(configured, rate).toSorted()).toEqual(
        [...others, name, ...(rate === 'learned' ? ['limits'] : [])].toSorted(),
      )
  })
})

describe('what treats hosts, on a line', () => {
  const alarm = definePlugin({ name: 'alarm' })
  const own = definePlugin({ name: 'own-pace', policy: 'rate' })

  it.each<[Treatment, string]>([
    [{}, 'robots, rate (aimd), breaker, timeouts (adaptive-timeout), retry'],
    [{ plugins: [alarm] }, 'robots, rate (aimd), breaker, timeouts (adaptive-timeout), retry; plugins: alarm'],
    [{ plugins: [own] }, 'robots, rate (own-pace), breaker, timeouts (adaptive-timeout), retry'],
    [
      { policies: polite({ robots: false, retry: false }) },
      'rate (aimd), breaker, timeouts (adaptive-timeout); off: robots, retry',
    ],
    [{ policies: [] }, 'rate (fixed-delay); off: robots, breaker, timeouts, retry'],
  ])('%o', (treatment, line) => {
    expect(treatmentText(treatmentOf(treatment))).toBe(line)
  })

  it('says when hosts are visited, where they have hours', () => {
    const night = { between: ['20:00', '08:00'], timeZone: 'Europe/Berlin' } as const
    const noon = { between: ['12:00', '13:00'], timeZone: 'UTC' } as const
    const line = (hosts: NonNullable<CrawlConfig['hosts']>): string =>
      treatmentText({ ...treatmentOf({}), hosts }).replace(/.*; /, '')

    expect(line({ '*': night, 'a.example': night })).toBe('plugins: hours (visited from 20:00 to 08:00 Europe/Berlin)')
    expect(line({ '*': night, 'a.example': noon })).toBe('plugins: hours (visited within 2 windows of the day)')
  })

  it('names no plugin that a crawl brings by itself: a run and its configuration are told alike', () => {
    const plugins = [definePlugin({ name: 'login' }), definePlugin({ name: 'traps' }), alarm]

    expect(treatmentText(treatmentOf({ plugins }))).toBe(treatmentText(treatmentOf({ plugins: [alarm] })))
  })
})

describe('what is typed for all hosts', () => {
  const hosts = {
    'api.shop.example': { maxRps: 4, maxInFlight: 1 },
    '*.slow.example': { maxRps: 0.5 },
    'mine.example': { delayMs: 0 },
  }

  it.each([
    ['nothing', { ignoreRobots: false }, hosts],
    [
      'a rate: no pattern exceeds it, and lower ones stay',
      { maxRps: 2, ignoreRobots: false },
      { ...hosts, 'api.shop.example': { maxRps: 2, maxInFlight: 1 }, '*': { maxRps: 2 } },
    ],
    [
      'a delay: no pattern has a shorter one',
      { delayMs: 500, ignoreRobots: false },
      { ...hosts, 'mine.example': { delayMs: 500 } },
    ],
    ['a number in flight: lower ones stay', { maxPerHost: 2, ignoreRobots: false }, hosts],
    ['that robots.txt does not count', { ignoreRobots: true }, { ...hosts, '*': { ignoreRobots: true } }],
  ])('%s', (_what, typed, expected) => {
    expect(hostOptionsOf(hosts, typed)).toEqual(expected)
  })

  it('leaves a lower rate of all hosts alone', () => {
    expect(hostOptionsOf({ '*': { maxRps: 1 } }, { maxRps: 2, ignoreRobots: false })).toEqual({ '*': { maxRps: 1 } })
    expect(hostOptionsOf(undefined, { ignoreRobots: false })).toBeUndefined()
  })
})

describe('what a host of a store is asked about with', () => {
  const own = definePlugin({ name: 'own', policy: 'rate' })
  const rateOf = (memory: Readonly<Record<string, string>>): string | undefined =>
    explainersOf({ plugins: [own] })({ memory }).plugins.find(({ policy }) => policy === 'rate')?.name

  it('is the rate policy under which it was last leased, though an earlier one has left its memory', () => {
    const left = { 'fixed-delay': '[1,{"pausedUntil":0}]' }

    expect(rateOf({ ...left, core: '[1,{"rate":"own"}]' })).toBe('own')
    expect(rateOf({ ...left, core: '[1,{"rate":"fixed-delay"}]' })).toBe('fixed-delay')
    expect(rateOf({ ...left, aimd: '[1,{}]', core: '[1,{"rate":"unpaced"}]' })).toBe('unpaced')
    expect(rateOf({})).toBe('own')
  })
})
