// What the site of a test feels of an order: that requests go on, or that none comes any more.
import { expect, vi } from 'vitest'
import type { SmallSite } from '../small-site.ts'

/** More requests than `more` come, within 20 s. */
export async function going(site: SmallSite, more = 0): Promise<void> {
  const before = site.asked.length
  await vi.waitFor(() => expect(site.asked.length).toBeGreaterThan(before + more), 20_000)
}

/** Nothing was asked for 0.3 s. */
export async function quiet(site: SmallSite): Promise<void> {
  let seen = -1
  await vi.waitFor(
    () => {
      const before = seen
      seen = site.asked.length
      expect(seen).toBe(before)
    },
    { timeout: 10_000, interval: 300 },
  )
}
