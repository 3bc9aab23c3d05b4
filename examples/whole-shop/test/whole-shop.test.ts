import { describe, expect, it } from 'vitest'
import { crawlWholeShop } from '../check.ts'

describe('whole-shop', { timeout: 90_000 }, () => {
  it('finds everything that the shop sells, and signs in again when its session has ended', async () => {
    const result = await crawlWholeShop()

    expect(result).toEqual({ found: 73, signedIn: 2, sentAway: 1, kills: 0, differences: [] })
  })

  it.each([14, 45])('finds each item once when it is killed while it waits for answer %i', async (killAt) => {
    const { signedIn, ...result } = await crawlWholeShop({ killAt })

    expect(result).toMatchObject({ found: 73, kills: 1, differences: [] })
    expect(signedIn).toBeGreaterThanOrEqual(2)
  })
})
