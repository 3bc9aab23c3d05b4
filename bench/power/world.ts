// A small web for stores that are to be hurt: every kind of row comes up in its crawl, and what a whole crawl of it gives is known.
//
// Five shops, a tree of pages each, linked across. Items of a line and of three pages of a store; pages that moved, that are missing, that fail at first; a
// form.
import { link, spider, type Spider } from 'avocet'
import { failure, type Clock, type Fetcher, type Outbound } from '@avocet/core/store'

const HOSTS = 5
const LONG_ITEM = 'long '.repeat(2_000)
const SHORT_ITEM = 'short '.repeat(20)

/** What a page answers. */
interface Answer {
  readonly status: number
  readonly location?: string
}

/** One web. */
export interface PowerWorld {
  readonly spider: Spider
  /** A fetcher of it; each knows what it was asked, oldest first. */
  fetcher(clock: Clock): Fetcher & { readonly asked: readonly string[] }
}

/** `pages` at each host. */
export function powerWorld(pages: number): PowerWorld {
  return { spider: shopSpider(), fetcher: (clock) => shops(clock, pages) }
}

function hostOf(n: number): string {
  return `shop-${String(n % HOSTS)}.test`
}

function shopSpider(): Spider {
  return spider({
    name: 'power',
    seeds: Array.from({ length: HOSTS }, (_, n) => `https://${hostOf(n)}/p/1`),
    scope: { within: 'any' },
    handlers: {
      *start(page) {
        const n = Number(page.url.pathname.slice(3))
        yield { url: page.url.href, text: n % 7 === 0 ? LONG_ITEM : SHORT_ITEM }
        if (n % 5 === 0) yield { url: page.url.href, text: 'second' }
        for (const anchor of page.links()) yield anchor
        if (n % 9 === 0)
          yield link(`/form/${String(n)}`, { method: 'POST', body: `n=${String(n)}`, handler: 'form', data: { n } })
      },
      *form(page) {
        yield { url: page.url.href, text: JSON.stringify(page.request.data ?? 'no data') }
      },
    },
  })
}

function shops(clock: Clock, pages: number): Fetcher & { readonly asked: readonly string[] } {
  const asked: string[] = []
  return {
    asked,
    fetch(outbound, receiver) {
      let isOver = false
      const wake = (ms: number, what: () => void): void => {
        clock.at(clock.now() + ms, () => {
          if (!isOver) what()
        })
      }
      wake(1, () => {
        const isFirst = !asked.includes(outbound.url)
        asked.push(outbound.url)
        receiver.sent()
        wake(20, () => {
          isOver = true
          const url = new URL(outbound.url)
          const n = Number(/\d+$/.exec(url.pathname)?.[0] ?? 0)
          if (isFirst && n % 8 === 0) return receiver.failed(failure('AVO_RESET', 'as the world wants it', { sent: true }))
          const { status, location } = answerOf(outbound, { n, pages })
          const headers = { 'content-type': 'text/html; charset=utf-8', ...(location !== undefined && { location }) }
          const body = status === 200 && !url.pathname.startsWith('/form') ? pageOf(url.host, { n, pages }) : ''
          const bytes = receiver.headers({ status, headers }) === 'read' ? new TextEncoder().encode(body) : new Uint8Array()
          const timings = { firstByteMs: 20, bodyMs: 0, reusedSocket: false }
          receiver.done({ url: outbound.url, status, headers, body: bytes, wireBytes: bytes.length, timings })
        })
      })
      return () => {
        isOver = true
      }
    },
    close: () => Promise.resolve(),
  }
}

function answerOf({ url }: Outbound, { n, pages }: { readonly n: number; readonly pages: number }): Answer {
  const { pathname } = new URL(url)
  if (pathname.startsWith('/form/')) return { status: 200 }
  if (!pathname.startsWith('/p/') || n > pages || n % 13 === 0) return { status: 404 }
  return n % 11 === 0 ? { status: 301, location: `/p/${String(n - 1)}` } : { status: 200 }
}

function pageOf(host: string, { n, pages }: { readonly n: number; readonly pages: number }): string {
  const own = [2 * n, 2 * n + 1].filter((child) => child <= pages + 1).map((child) => `/p/${String(child)}`)
  const others = n % 3 === 0 ? [`https://${hostOf(Number(host.slice(5, 6)) + 1)}/p/${String(Math.ceil(n / 2))}`] : []
  return [...own, ...others].map((href) => `<a href="${href}">page</a>`).join('\n')
}
