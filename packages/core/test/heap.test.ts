// How large the heap may grow: small for pages of which only links are wanted, as V8 likes while documents are built.
import { describe, expect, it } from 'vitest'
import { HeapSize } from '../src/process/heap.ts'

/** The growth of the old generation that V8 was last told; 0: as it likes. */
function watched(youngBytes = (): number => 16 * 2 ** 20): {
  readonly heap: HeapSize
  readonly growth: () => string | undefined
  readonly youngGrowth: () => string | undefined
} {
  const told: string[] = []
  const last = (flag: string) => (): string | undefined => told.findLast((flags) => flags.includes(flag))?.split('=')[1]
  return {
    heap: new HeapSize((flags) => void told.push(flags), youngBytes),
    growth: last('heap-growing-percent'),
    youngGrowth: last('semi-space-growth-factor'),
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
    expect(growth()).toBe('100')

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
    expect(growth()).toBe('100')
  })

  it('has a new generation of 16 MB at most, in one step', () => {
    let megabytes = 4
    const { heap, youngGrowth } = watched(() => megabytes * 2 ** 20 - 256)
    heap.keepSmall()
    heap.seen(false)
    expect(youngGrowth()).toBe('4')

    megabytes = 16
    for (let page = 0; page < 16; page++) heap.seen(false)
    expect(youngGrowth()).toBe('1')
  })
})
