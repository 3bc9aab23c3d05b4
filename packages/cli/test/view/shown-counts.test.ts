// Totals as a person is shown them.
import { expect, it } from 'vitest'
import { shownCounts } from '../../src/view/shown-counts.ts'

it.each([
  ['as they were counted', { known: 9, done: 3, moved: 1, failed: 2 }, [9, 3, 6, 3, 1, 2]],
  ['never less than nothing', { known: 9, done: -1, moved: -2, failed: -3 }, [9, 9, 0, 0, 0, 0]],
  ['with what is settled among what is known', { known: 2, done: 3, moved: 0, failed: 1 }, [4, 0, 4, 3, 0, 1]],
] as const)('are shown %s', (_, counted, shown) => {
  const { known, waiting, settled, done, moved, failed } = shownCounts(counted)

  expect([known, waiting, settled, done, moved, failed]).toEqual(shown)
})
