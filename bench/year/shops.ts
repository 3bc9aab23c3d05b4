// The shops of a year: each product page is another one at each visit, and its price changes every few days.
import type { Clock, Fetcher } from '@avocet/core/store'

const DAY_MS = 86_400_000
const ANSWER_MS = 40

/** What is sold at `url` at a moment. */
function productAt(url: string, at: number): { readonly sku: string; readonly price: string; readonly stock: string } {
  const [, shop = '', sku = ''] = /^https?:\/\/shop-(\d+)\.test\/p\/(\d+)/.exec(url) ?? []
  const place = Number(shop) * 31 + Number(sku) * 7
  // Another price every three to seven days, and a day out of stock in a month or so.
  const price =
    5 + ((Math.imul(Math.floor((at / DAY_MS + place) / (3 + (place % 5))) + place, 2_654_435_761) >>> 8) % 4_000) / 100
  return { sku: `S${shop}-${sku}`, price: price.toFixed(2), stock: Math.floor(at / DAY_MS + place) % 31 === 0 ? 'no' : 'yes' }
}

/** Pages of some 1.5 kB with a token that differs each time; there is no robots.txt. */
export function shops(clock: Clock): Fetcher {
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  return {
    fetch({ url }, receiver) {
      let isOver = false
      clock.at(clock.now(), () => !isOver && receiver.sent())
      clock.at(clock.now() + ANSWER_MS, () => {
        if (isOver) return
        const isPage = url.includes('/p/')
        const status = isPage ? 200 : 404
        const wish = receiver.headers({ status, headers })
        const body = new TextEncoder().encode(isPage && wish === 'read' ? pageOf(url, clock.now()) : '')
        const timings = { firstByteMs: ANSWER_MS, bodyMs: 0, reusedSocket: true }
        isOver = true
        receiver.done({ url, status, headers, body, wireBytes: body.length, timings })
      })
      return () => void (isOver = true)
    },
    close: () => Promise.resolve(),
  }
}

const TEXT = `<p>${'Grown on southern slopes, dried in the shade and packed by hand. '.repeat(20)}</p>`

function pageOf(url: string, at: number): string {
  const { sku, price, stock } = productAt(url, at)
  return `<html><head><title>Tea ${sku}</title></head><body><b class="sku">${sku}</b><i class="price">${price}</i><i class="stock">${stock}</i>${TEXT}<!-- ${at} --></body></html>`
}
