// The example finds every product of the shop, those of pages that build themselves as well; skipped where there is no browser.
import { describe, expect, it } from 'vitest'
import { crawlApp } from '../check.ts'

describe('the spider of a shop half of whose pages build themselves', { timeout: 120_000 }, () => {
  it('finds every product once, though it is killed in the middle', async ({ skip }) => {
    const result = await crawlApp({ killsAt: [40] })

    skip(result.skipped !== undefined, result.skipped)
    expect(result).toEqual({ found: 60, kills: 1, differences: [] })
  })
})
