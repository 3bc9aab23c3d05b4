// What the plugin can be told, and what it refuses to be told.
import { robots, type RobotsOptions } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'

describe('options of robots', () => {
  it.each([
    [{ agent: '' }, `expected robots: agent to be a name that begins with letters, digits, "-" or "_", got ''`],
    [{ agent: '*' }, `expected robots: agent to be a name that begins with letters, digits, "-" or "_", got '*'`],
    [{ agent: 5 }, `expected robots: agent to be a name that begins with letters, digits, "-" or "_", got 5`],
    [{ ignore: 'yes' }, `expected robots: ignore to be true or false, got 'yes'`],
    [{ maxCrawlDelayMs: -1 }, `expected robots: maxCrawlDelayMs to be a number from 0 to 86400000, got -1`],
    [{ maxCrawlDelayMs: NaN }, `expected robots: maxCrawlDelayMs to be a number from 0 to 86400000, got NaN`],
    [{ agnet: 'x' }, `robots has no option 'agnet' (did you mean 'agent'?)`],
  ])('%j are refused', (options, message) => {
    expect(() => robots(options as RobotsOptions)).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message }))
  })
})
