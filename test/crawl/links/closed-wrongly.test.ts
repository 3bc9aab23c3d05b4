// Shops whose pages say the same for a while, or in part: none of their pages is lost.
import { memoryFrontier } from 'avocet'
import { describe, expect, it } from 'vitest'
import { crawlWritten, followAll } from '../written-web.ts'

const SHOP = 'shop.test'
const numberIn = (url: URL): number => Number(/\d+/.exec(url.pathname)?.[0])
const links = (count: number, to: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => `<a href="${to(n)}">product</a>`).join('')

describe('a shop', () => {
  it('whose pages are empty shells gives the data that they link to', async () => {
    const { report } = await crawlWritten(
      ({ pathname }) => {
        if (pathname === '/') return links(500, (n) => `/products/${n}`)
        if (pathname.endsWith('.json'))
          return `{ "name": "product ${numberIn(new URL(pathname, 'http://shop.test'))}", "price": 7 }`
        return `<h1>Loading our shop</h1> one moment please <a href="${pathname}.json">data</a>`
      },
      { spider: followAll([`http://${SHOP}/`], (url) => (url.pathname.endsWith('.json') ? { n: numberIn(url) } : undefined)) },
    )

    expect(report.counts).toMatchObject({ items: 500, failed: 0 })
  })

  it('whose pages all say the same, and yield an item of their own, is crawled whole', async () => {
    const { report } = await crawlWritten(
      (url) =>
        `<p>this is a page of ours</p>${numberIn(url) < 300 || url.pathname === '/' ? links(2, (k) => `/p/${2 * (numberIn(url) || 0) + k + 1}`) : ''}`,
      { spider: followAll([`http://${SHOP}/`], (url) => ({ n: numberIn(url) || 0 })) },
    )

    expect(report.counts).toMatchObject({ failed: 0 })
    expect(report.counts.items).toBe(report.counts.known)
    expect(report.counts.known).toBeGreaterThan(500)
  })

  it.each([100, 300])('of which %i products in a row are sold out is crawled whole', async (soldOut) => {
    const isSoldOut = (n: number): boolean => n >= 60 && n < 60 + soldOut
    const { report, pagesOf } = await crawlWritten(
      (url) => {
        if (url.pathname === '/') return links(400, (n) => `/item/${n}`)
        const n = numberIn(url)
        const related = n < 400 ? `<a href="/item/${400 + n}">related</a>` : ''
        return `<h1>${isSoldOut(n) ? 'This product is no longer for sale' : `Product number ${n}`}</h1> see what else we have ${related}`
      },
      {
        spider: followAll([`http://${SHOP}/`], (url) =>
          url.pathname === '/' || isSoldOut(numberIn(url)) ? undefined : { n: numberIn(url) },
        ),
      },
    )

    expect(pagesOf(SHOP)).toBe(801)
    expect(report.counts).toMatchObject({ items: 800 - soldOut, failed: 0 })
  })

  it('of which seven of ten products are sold out stays open, though each was found on another one first', async () => {
    const { report } = await crawlWritten(
      (url) => {
        if (url.pathname === '/') return links(20, (n) => `/list/${n}/`)
        const n = numberIn(url)
        if (url.pathname.startsWith('/list')) return links(50, (k) => `/item/${n * 50 + k}`)
        const text = n % 10 < 7 ? 'This product is no longer for sale' : `Product number ${n}`
        return `<h1>${text}</h1> see what else we have <a href="/item/${(n * 37 + 11) % 1_000}">next</a>`
      },
      { spider: followAll([`http://${SHOP}/`]) },
    )

    expect(report.closedPatterns).toEqual([])
    expect(report.counts).toMatchObject({ known: 1_021, done: 1_021 })
  })

  it('of which 150 sold-out products are found on one another alone is crawled whole by the second run', async () => {
    const frontier = memoryFrontier()
    const counts: unknown[] = []
    for (let run = 0; run < 6; run++) {
      const { report } = await crawlWritten(
        (url) => {
          if (url.pathname === '/') return links(60, (n) => `/item/${n}`)
          const n = numberIn(url)
          const next = n >= 59 && n < 400 ? `<a href="/item/${n + 1}">related</a>` : ''
          return `<h1>${n >= 60 && n < 210 ? 'This product is no longer for sale' : `Product number ${n}`}</h1> see what else we have ${next}`
        },
        { frontier, spider: followAll([`http://${SHOP}/`]) },
      )
      counts.push(report.counts.failed)
      await frontier.close()
    }

    expect(counts).toEqual([1, 0, 0, 0, 0, 0])
  })
})
