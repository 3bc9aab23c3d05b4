// A plugin that keeps the cookies of each site and sends them back, as a browser does: as much of RFC 6265 as a shop needs that signs one in.
//
// The cookies are in the memory of this process only, not in the plugin's memory, which is stored: a session is a secret. So they are lost
// with the process, and the spider must cope with being signed out. It must anyway: sessions end.
import { definePlugin, type Plugin, type Response } from '@avocet/core'

/** Sites beyond that lose theirs, the oldest first. */
const MOST_ORIGINS = 1_000
const MOST_COOKIES = 50

/** A jar of its own for each call. */
export function cookieJar(): Plugin {
  const jars = new Map<string, Map<string, string>>()
  return definePlugin({
    name: 'cookie-jar',
    beforeRequest(outgoing) {
      const jar = jars.get(originOf(outgoing.exchange.request.url))
      if (jar !== undefined && jar.size > 0) outgoing.setHeader('cookie', [...jar].map((pair) => pair.join('=')).join('; '))
    },
    // Also of answers that no handler sees, such as the redirect after a login.
    onResponse({ exchange, response }) {
      const origin = originOf(exchange.request.url)
      const jar = jars.get(origin) ?? new Map<string, string>()
      for (const [name, value] of cookiesOf(response)) {
        if (value === undefined) jar.delete(name)
        else if (jar.has(name) || jar.size < MOST_COOKIES) jar.set(name, value)
      }
      if (jar.size === 0) return
      jars.set(origin, jar)
      const [oldest] = jars.keys()
      if (jars.size > MOST_ORIGINS && oldest !== undefined) jars.delete(oldest)
    },
  })
}

/** Names and values that a response sets; undefined for one that it takes back. */
function* cookiesOf({ headers }: Response): Generator<readonly [name: string, value: string | undefined]> {
  for (const field of [headers['set-cookie'] ?? []].flat()) {
    const [pair = '', ...attributes] = field.split(/;\s*/)
    const name = pair.slice(0, pair.indexOf('='))
    const isTakenBack = attributes.some((attribute) => /^max-age=(?:0|-\d+)$/i.test(attribute))
    if (name !== '') yield [name, isTakenBack ? undefined : pair.slice(name.length + 1)]
  }
}

function originOf(url: string): string {
  return new URL(url).origin
}
