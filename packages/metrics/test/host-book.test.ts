// Which hosts have a name in metrics, and what becomes of the counts of the others.
import { describe, expect, it } from 'vitest'
import type { HostCounted } from '../src/laws/counted.ts'
import { HostBook } from '../src/laws/crawl-book.ts'

function counted(hostKey: string, requests: number): HostCounted {
  return { hostKey, requests, refusals: 0, failures: 0 }
}

function many(count: number, requests: number, from = 0): HostCounted[] {
  return Array.from({ length: count }, (_, n) => counted(`host-${from + n}`, requests))
}

function namesIn(book: HostBook): readonly string[] {
  return [...book.counts.named.keys()]
}

function total(book: HostBook): number {
  const { named, others } = book.counts
  return [...named.values()].reduce((sum, { requests }) => sum + requests, others.requests)
}

describe('the names of hosts', () => {
  it('are those of all hosts where there are 25', () => {
    const book = new HostBook()
    book.add({ hosts: many(25, 1) })

    expect(namesIn(book)).toHaveLength(25)
    expect(book.counts.others.requests).toBe(0)
  })

  it('go to the 25 with most traffic at the first look, in a crawl of 800', () => {
    const book = new HostBook()
    book.add({ hosts: [...many(775, 1), ...many(25, 7, 775)] })

    expect(namesIn(book).toSorted()).toEqual(many(25, 7, 775).map(({ hostKey }) => hostKey))
    expect(book.counts.others.requests).toBe(775)
  })

  it('are kept for hosts that become busy later: 15 for 100 requests, 10 for 10,000', () => {
    const book = new HostBook()
    book.add({ hosts: many(100, 50) })
    expect(namesIn(book)).toHaveLength(25)

    book.add({ hosts: many(100, 50) })
    expect(namesIn(book)).toHaveLength(40)

    book.add({ hosts: many(100, 9_899) })
    expect(namesIn(book)).toHaveLength(40)

    book.add({ hosts: many(100, 1) })
    expect(namesIn(book)).toHaveLength(50)

    book.add({ hosts: many(100, 100_000) })
    expect(namesIn(book)).toHaveLength(50)
  })

  it('stay, and each request counts once: where its host belonged then', () => {
    const book = new HostBook()
    book.add({ hosts: [...many(25, 5), counted('late', 1)] })
    book.add({ hosts: [counted('late', 98)] })
    expect(book.counts.others.requests).toBe(99)
    const before = namesIn(book)

    book.add({ hosts: [counted('late', 1), counted('', 3)] })

    expect(namesIn(book)).toEqual([...before, 'late'])
    expect(book.counts.named.get('late')?.requests).toBe(1)
    expect(book.counts.others.requests).toBe(102)
    expect(total(book)).toBe(125 + 99 + 1 + 3)
  })

  it('are of those that are met first among equals, whatever they are called', () => {
    const book = new HostBook()
    book.add({ hosts: [counted('__proto__', 3), counted('constructor', 2), counted('"\n', 1)] })

    expect([...book.counts.named]).toEqual([
      ['__proto__', { requests: 3, refusals: 0, failures: 0 }],
      ['constructor', { requests: 2, refusals: 0, failures: 0 }],
      ['"\n', { requests: 1, refusals: 0, failures: 0 }],
    ])
  })

  it('forgets no sum where there are more hosts than it remembers', () => {
    const book = new HostBook()
    for (let n = 0; n < 60; n++) book.add({ hosts: many(1_000, 1, n * 1_000) })

    expect(namesIn(book)).toHaveLength(25)
    expect(total(book)).toBe(60_000)
  })
})
