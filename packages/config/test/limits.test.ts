// What a configuration says of limits is a table of them.
import { describe, expect, it } from 'vitest'
import { checkCrawl } from '../src/check-crawl.ts'

describe('limits that are no table', () => {
  it.each(
    [null, 5, 'none', []].flatMap((wrong) =>
      ['discoveryLimits', 'timeLimits', 'sizeLimits'].map((name) => [name, wrong] as const),
    ),
  )('are refused: %s %j', (name, wrong) => {
    expect(() => checkCrawl({ [name]: wrong })).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID' }))
  })
})
