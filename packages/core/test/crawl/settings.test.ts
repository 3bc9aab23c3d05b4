// What a configuration says of limits: a limit that it leaves undefined is the default.
import { memoryFrontier } from 'avocet'
import { describe, expect, it } from 'vitest'
import { DEFAULTS, limitsOf } from '../../src/ports/config.ts'
import { settingsOf } from '../../src/crawl/settings-of.ts'
import { spider } from 'avocet'

const test = spider({ name: 'test', seeds: ['https://shop.example/'], handlers: { *start() {} } })

const none = (): Promise<never> => Promise.reject(new Error('expected no crawl'))
const PORTS = {
  frontier: () => memoryFrontier(),
  fetcher: none,
  plugins: () => [],
  pages: none,
  report: none,
  orders: none,
  codec: none,
  delivery: none,
}

/** As a program without types writes it. */
const settings = (limits: object) => settingsOf({ policies: [], spider: test, ...limits }, PORTS)

describe('a limit that is undefined', () => {
  it('is the default', () => {
    const { discoveryLimits, timeLimits } = settings({
      discoveryLimits: { maxUrlsPerPage: undefined, urlsPerItem: 1 },
      timeLimits: { connectMs: undefined, totalMs: 5_000 },
    })

    expect(discoveryLimits).toEqual({ ...DEFAULTS.discoveryLimits, urlsPerItem: 1 })
    expect(timeLimits).toEqual({ ...DEFAULTS.timeLimits, totalMs: 5_000 })
    expect(limitsOf(DEFAULTS.sizeLimits, { maxWireBytes: undefined })).toEqual(DEFAULTS.sizeLimits)
  })
})
