// The floor: the smallest honest crawler in JavaScript. undici, one regular expression for links, a Set, items as lines of a file; no store, no
// politeness, no retries, nothing to resume. What a framework costs is what it costs above this.
import { closeSync, openSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as Undici from 'undici'

const [seeds = '', perHost = '1', out = '', items = ''] = process.argv.slice(2)
// By its file, as the fetcher does: the rest of undici would cost the floor memory and time that it does not need.
const Pool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof Undici.Pool
const file = openSync(out, 'w')
const decoder = new TextDecoder()
// Links that may be followed: those with rel=nofollow have another order of attributes.
const LINK = /<a(?: class="[^"]*")?(?: rel="next")? href="([^"]*)"/g
let left = 0
let lines = ''

for (const seed of seeds.split(' ')) crawlHost(seed)
process.on('exit', () => {
  writeSync(file, lines)
  closeSync(file)
})

function crawlHost(seed: string): void {
  const { origin } = new URL(seed)
  const pool = new Pool(origin, { connections: Number(perHost), pipelining: 1, allowH2: false })
  const known = new Set([seed])
  const queue = [seed]
  let inFlight = 0
  const pump = (): void => {
    while (inFlight < Number(perHost) && queue.length > 0) {
      inFlight++
      left++
      ask(pool, queue.shift() ?? '', origin.length, (url, body) => {
        inFlight--
        for (const link of visit(url, body)) {
          if (known.has(link) || !link.startsWith(origin)) continue
          known.add(link)
          queue.push(link)
        }
        pump()
        // Also what a keep-alive connection would otherwise wait for.
        if (--left === 0) process.exit()
      })
    }
  }
  pump()
}

function visit(url: string, body: string): string[] {
  const links: string[] = []
  for (const [, href = ''] of body.matchAll(LINK)) links.push(new URL(href, url).href)
  const sku = /class="sku">([^<]*)/.exec(body)?.[1]
  if (sku === undefined || items !== 'items') return links
  const price = Number(/class="price">([^<]*)/.exec(body)?.[1])
  const title = /<title>([^<]*)/.exec(body)?.[1]
  lines += `${JSON.stringify({ url, title, sku, price, links })}\n`
  if (lines.length > 65_536) {
    writeSync(file, lines)
    lines = ''
  }
  return links
}

function ask(pool: Undici.Pool, url: string, from: number, then: (url: string, body: string) => void): void {
  const pieces: Buffer[] = []
  pool.dispatch(
    { path: url.slice(from), method: 'GET', headers: { 'user-agent': 'floor' } },
    {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData(_controller, piece) {
        pieces.push(piece)
      },
      onResponseEnd() {
        then(url, decoder.decode(Buffer.concat(pieces)))
      },
      onResponseError(_controller, error) {
        throw error
      },
    },
  )
}
