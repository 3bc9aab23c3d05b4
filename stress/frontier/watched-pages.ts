// Watched items that are on several pages: which of them says what an item is.
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { changesInWords, fetchedAt, watchedShop } from '../../packages/testkit/src/contracts/frontier/watched-shop.ts'

/** Details of `CommitUnit.watch`. */
export function watchedPages(make: () => FrontierStore): void {
  describe('watched items on several pages', () => {
    it('make no change where two pages differ, as long as each shows what it showed', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      for (const at of [100, 200, 300]) {
        await visit(1, at, { tea: 3 })
        await visit(2, at, { tea: 4 })
      }
      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4'])
      await visit(1, 400, { tea: 4 })
      await visit(1, 500, { tea: 5 })
      await visit(2, 500, { tea: 4 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea changed 4 5'])
    })

    it('have the value of a page that shows them again, whatever it showed before it lacked them', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(2, 200, { tea: 4 })
      await visit(1, 300, {})
      await visit(1, 400, { tea: 3 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea changed 4 3'])
    })

    it('have a value that a page shows: that of another one once the page that gave it lacks them', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(2, 200, { tea: 4 })
      await visit(2, 300, {})
      await visit(1, 300, { tea: 3 })
      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4'])
      await visit(2, 400, {})
      await visit(1, 400, { tea: 3 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea changed 4 3'])
    })

    it('do not stay for a page that is visited once', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(2, 200, { tea: 4 }, { outcome: { kind: 'done', fetched: fetchedAt(200) } })
      await visit(1, 300, { tea: 3 })
      await visit(1, 400, {})
      await visit(1, 500, {})

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea changed 4 3', 'tea gone 3 -'])
    })
  })
}
