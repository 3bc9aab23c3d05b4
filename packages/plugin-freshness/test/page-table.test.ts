import { expect, it } from 'vitest'
import { tablePages, tableText } from '../src/page-table.ts'

const PAGE = {
  id: 800_000_000,
  url: 77_777,
  kind: 2,
  at: 500_000.25,
  digest: 16_777_215,
  changes: 3.5,
  changedHours: 27.25,
  quietHours: 640,
}

it('keeps what is known of a page in 27 characters', () => {
  const text = tableText([PAGE, { ...PAGE, id: 1 }])

  expect(text).toHaveLength(54)
  expect(tablePages(text)).toEqual([PAGE, { ...PAGE, id: 1 }])
})

it('keeps the pages that were visited last where not all fit into a text of a host', () => {
  const text = tableText(Array.from({ length: 30_000 }, (_, n) => ({ ...PAGE, id: n, at: n })))

  expect(text.length).toBeLessThan(524_288)
  expect(tablePages(text)[0]?.id).toBe(29_999)
})
