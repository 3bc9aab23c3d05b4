// The law of watched items.
import { watchLaws, type ShownItem, type WatchedItem } from '@avocet/core/store'
import { array, assert, boolean, constantFrom, property, record, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'

const SHOWS_ALL = { shows: 'all', goneAfterVisits: 3 } as const

type WatchedPage = Parameters<typeof watchLaws.visited>[0]['page']

/** One item, as pages by number show it at their visits. Undefined: the page lacks it. */
function watchedItem() {
  let item: WatchedItem | undefined
  const pages = new Map<number, ShownItem>()
  const changes: string[] = []
  const visit = (requestId: number, value: string | undefined, page: WatchedPage = SHOWS_ALL): void => {
    const shown = pages.get(requestId)
    const known = { ofPage: new Map(item && shown ? [['tea', { ...shown, item }]] : []), find: () => item }
    const sightings = value === undefined ? [] : [{ key: 'tea', value }]
    for (const became of watchLaws.visited({ requestId, page, sightings }, known)) {
      item = became.item ?? item
      if (became.shown === null) pages.delete(requestId)
      else if (became.shown !== undefined) pages.set(requestId, became.shown)
      const { kind, before = '-', after = '-' } = became.change ?? {}
      if (kind !== undefined) changes.push(`${kind} ${before} ${after}`)
    }
  }
  return { changes, visit }
}

/** The changes after visits `[page, value]`. */
function changesOf(
  ...visits: readonly (readonly [page: number, value?: string | undefined, of?: WatchedPage])[]
): readonly string[] {
  const { changes, visit } = watchedItem()
  for (const [page, value, of] of visits) visit(page, value, of)
  return changes
}

describe('a watched item', () => {
  it('has the value of the page that gave it, whatever another page shows for long', () => {
    expect(changesOf([1, '10'], [2, '12'], [1, '10'], [2, '12'], [1, '10'], [2, '12'])).toEqual(['new - 10'])
  })

  it('changes when any page shows another value than it showed before, once', () => {
    expect(changesOf([1, '10'], [2, '10'], [2, '11'], [1, '11'])).toEqual(['new - 10', 'changed 10 11'])
    expect(changesOf([1, '10'], [2, '12'], [2, '13'], [1, '10'], [2, '13'])).toEqual(['new - 10', 'changed 10 13'])
  })

  it('does not change when a page shows again what it showed before it lacked it', () => {
    expect(changesOf([1, '10'], [2, '12'], [2, '12'], [2], [2, '12'])).toEqual(['new - 10'])
  })

  it('that moves to another page has its value from there at once, or a round later', () => {
    expect(changesOf([1, '10'], [1], [2, '11'])).toEqual(['new - 10', 'changed 10 11'])
    expect(changesOf([2, '10'], [1, '11'], [2], [1, '11'])).toEqual(['new - 10', 'changed 10 11'])
  })

  it('keeps its value while the page that gave it is empty once, and others differ from it', () => {
    const differ = [
      [1, '10'],
      [2, '12'],
      [1, '10'],
      [2, '12'],
    ] as const

    expect(changesOf(...differ, [1], [2, '12'], [1, '10'], [2, '12'])).toEqual(['new - 10'])
    expect(changesOf(...differ, [1], [2, '12'], [1], [2, '12'], [1], [2, '12'])).toEqual(['new - 10', 'changed 10 12'])
  })

  it('that moves between pages of one value is never changed by a page that shows another one', () => {
    const hours = Array.from({ length: 72 }, (_, hour) => hour)
    const rounds = hours.flatMap((hour) => {
      const isFirst = Math.floor(hour / 8) % 2 === 0
      return [
        [1, isFirst ? '10' : undefined],
        [2, isFirst ? undefined : '10'],
        [3, '12'],
      ] as const
    })

    expect(changesOf(...rounds)).toEqual(['new - 10'])
  })

  it('changes once at most while no price changes, wherever it moves and whichever pages are empty for a visit', () => {
    const round = record({
      list: constantFrom(1, 2),
      order: constantFrom([1, 2, 3], [2, 1, 3], [3, 2, 1], [3, 1, 2], [1, 3, 2]),
      isEmpty: boolean(),
    })
    const standing = property(tuple(boolean(), array(round, { minLength: 20, maxLength: 80 })), ([isProductFirst, rounds]) => {
      const { changes, visit } = watchedItem()
      if (isProductFirst) visit(3, '12')
      let wasEmpty = false
      for (const { list, order, isEmpty } of rounds) {
        wasEmpty = isEmpty && !wasEmpty
        for (const page of order) visit(page, page === 3 ? (wasEmpty ? undefined : '12') : page === list ? '10' : undefined)
      }
      expect(changes.length).toBeLessThanOrEqual(2)
    })

    assert(standing, { numRuns: 500 })
  })

  it('is there as a page says that is visited once, and no longer than other pages show it', () => {
    const once = { ...SHOWS_ALL, isOnce: true } as const

    expect(changesOf([1, '10', once], [2, '11', once])).toEqual(['new - 10', 'changed 10 11'])
    expect(changesOf([1, '10'], [2, '11', once], [1], [1], [1])).toEqual(['new - 10', 'gone 10 -'])
  })
})
