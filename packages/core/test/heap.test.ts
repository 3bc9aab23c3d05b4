// How large the heap may grow: small for pages of which only links are wanted, as V8 likes while documents are built.
import { describe, expect, it } from 'vitest'
import { HeapSize } from '../src/process/heap.ts'

/** The growth of the old generation that V8 was last told; 0: as it likes. */
function watched(): { readonly heap: HeapSize; readonly growth: () => string | undefined } {
  const told: string[] = []
  return {
    heap: new HeapSize((flags) => void told.push(flags)),
    growth: () => told.findLast((flags) => flags.includes('heap-growing-percent'))?.split('=')[1],
  }
}

describe('the heap of a process', () => {
  it('is left to V8 where no small one is wanted', () => {
    const { heap, growth } = watched()
    for (let page = 0; page < 1_000; page++) heap.seen(page === 0)

    expect(growth()).toBeUndefined()
  })

  it('is kept small until the DOM of a page is used', () => {
    const { heap, growth } = watched()
    heap.keepSmall()
    heap.seen(false)
    expect(growth()).toBe('30')

    heap.seen(true)
    expect(growth()).toBe('0')
  })

  it('is kept small again after 200 pages in a row that were not', () => {
    const { heap, growth } = watched()
    heap.keepSmall()
    heap.seen(true)
    for (let page = 0; page < 199; page++) heap.seen(false)
    heap.seen(true)
    for (let page = 0; page < 199; page++) heap.seen(false)
    expect(growth()).toBe('0')

    heap.seen(false)
    expect(growth()).toBe('30')
  })
})
