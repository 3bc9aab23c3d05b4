// Watched items that are on several pages: which of them says what an item is.
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { changesInWords, fetchedAt, SHOWS_ALL, watchedShop } from '../../packages/testkit/src/contracts/frontier/watched-shop.ts'

/** Details of `CommitUnit.watch`. */
export function watchedPages(make: () => FrontierStore): void {
  describe('watched items on several pages', () => {
    it('make no change where two pages differ, as long as each shows what it showed', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      for (const at of [100, 200, 300]) {
        await visit(1, at, { tea: 3 })
        await visit(2, at, { tea: 4 })
      }
      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
      await visit(1, 400, { tea: 4 })
      await visit(1, 500, { tea: 5 })
      await visit(2, 500, { tea: 4 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea changed 4 5'])
    })

    it('make no change where a page shows again what it showed before it lacked them', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(2, 200, { tea: 4 })
      await visit(2, 300, {})
      await visit(2, 400, { tea: 4 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
    })

    it('have the value of another page once the one that gave it shows them no longer, not while it lacks them', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      for (const at of [100, 200]) await visit(2, at, { tea: 4 })
      await visit(1, 300, {})
      await visit(2, 300, { tea: 4 })
      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
      await visit(1, 400, {})
      await visit(2, 400, { tea: 4 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4'])
    })

    it('that moved have their value from their new page at once, or at its next visit', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(1, 200, {})
      await visit(2, 200, { tea: 4 })
      await visit(1, 300, { tea: 5 })
      await visit(2, 300, {})
      await visit(1, 400, { tea: 5 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea changed 4 5'])
    })

    it('are not those of a new page while a third one shows them', async () => {
      const { frontier, visit } = await watchedShop(make, 3)
      await visit(1, 100, { tea: 3 })
      await visit(2, 100, { tea: 4 })
      await visit(1, 200, {})
      await visit(3, 200, { tea: 5 })
      await visit(3, 300, { tea: 5 })
      await visit(1, 300, { tea: 3 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
    })

    it('do not stay for a page that is visited once', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      const once = { outcome: { kind: 'done', fetched: fetchedAt(200) }, watch: { ...SHOWS_ALL, isOnce: true } } as const
      await visit(2, 200, { tea: 4 }, once)
      await visit(1, 300, { tea: 3 })
      await visit(1, 400, {})
      await visit(1, 500, {})

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea gone 3 -'])
    })
  })
}
