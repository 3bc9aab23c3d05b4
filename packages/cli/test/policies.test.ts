// How hosts are treated when nobody says anything, and what the command line changes about it.
import { definePlugin } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { hostOptionsOf, pluginsOf } from '../src/load/policies.ts'

const namesOf = (treatment: Parameters<typeof pluginsOf>[0]): readonly string[] => pluginsOf(treatment).map(({ name }) => name)

describe('the plugins of a crawl', () => {
  it('are those that the configuration names, and the journal, which decides nothing', () => {
    const own = [definePlugin({ name: 'own' })]

    expect(pluginsOf({ plugins: own, delayMs: 5 })[0]).toBe(own[0])
    expect(namesOf({ plugins: own, delayMs: 5 })).toEqual(['own', 'journal'])
    expect(namesOf({ plugins: [] })).toEqual(['journal'])
  })

  it('are left alone when one of them is a journal', () => {
    const own = [definePlugin({ name: 'journal' })]

    expect(pluginsOf({ plugins: own })).toBe(own)
  })

  it('are the five policies, when it names none', () => {
    expect(namesOf({}).toSorted()).toEqual(['adaptive-timeout', 'aimd', 'breaker', 'journal', 'retry', 'robots'])
  })

  it.each([{ delayMs: 500 }, { delayMs: 0 }, { maxPerHost: 2 }])(
    'learn no rate where a fixed spacing is wished for: %j',
    (treatment) => {
      expect(namesOf(treatment).toSorted()).toEqual(['adaptive-timeout', 'breaker', 'journal', 'retry', 'robots'])
    },
  )
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
    ['that robots.txt does not count', { ignoreRobots: true }, { ...hosts, '*': { ignoreRobots: true } }],
  ])('%s', (_what, typed, expected) => {
    expect(hostOptionsOf(hosts, typed)).toEqual(expected)
  })

  it('leaves a lower rate of all hosts alone', () => {
    expect(hostOptionsOf({ '*': { maxRps: 1 } }, { maxRps: 2, ignoreRobots: false })).toEqual({ '*': { maxRps: 1 } })
    expect(hostOptionsOf(undefined, { ignoreRobots: false })).toBeUndefined()
  })
})
