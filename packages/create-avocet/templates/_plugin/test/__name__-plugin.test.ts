// Tests the law, and runs the plugin contract: any order, the same result for the same seed, exact after a crash.
import { pluginContract } from '@avocet/testkit/contracts'
import { expect, it, vi } from 'vitest'
import { restsUntil } from '../plugins/__name__-law.ts'
import { __camelName__ } from '../plugins/__name__.ts'

// The contract crawls a few hundred simulated pages, many times over.
vi.setConfig({ testTimeout: 60_000 })

it.each([
  { answeredAt: 1_000, tookMs: 200, factor: 10, until: 3_000 },
  { answeredAt: 1_000, tookMs: 0, factor: 10, until: 1_000 },
])('lets a host rest until $until after $tookMs ms', ({ answeredAt, tookMs, factor, until }) => {
  expect(restsUntil(answeredAt, tookMs, factor)).toBe(until)
})

pluginContract('__name__', () => __camelName__())
