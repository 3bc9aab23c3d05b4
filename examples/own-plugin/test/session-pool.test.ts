// A banned session is retired, its page is fetched in another one, and the pool passes the contract of all plugins.
import type { Clock, Fetcher, Outbound } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { pluginContract } from '@avocet/testkit/contracts'
import { crawl, spider } from 'avocet'
import { expect, it } from 'vitest'
import { sessionPool } from '../session-pool.ts'

pluginContract('session-pool', () =>
  sessionPool([
    { name: 'a', headers: {} },
    { name: 'b', headers: {} },
  ]),
)

it('sends the pages of a banned session in another one', async () => {
  const clock = new VirtualClock()
  const seen: string[] = []
  const fetcher = fakeServer(clock, ({ url, headers }) => {
    const { cookie = '' } = headers
    seen.push(`${cookie} ${new URL(url).pathname}`)
    const isBanned = cookie === 'id=a' && seen.filter((line) => line.startsWith(cookie)).length > 3
    return isBanned ? { status: 403, body: '' } : { status: 200, body: 'ok' }
  })
  const pool = sessionPool(['a', 'b'].map((name) => ({ name, headers: { cookie: `id=${name}` } })))
  const seeds = Array.from({ length: 60 }, (_, n) => `http://shop.test/${String(n)}`)

  const pages = spider({ name: 'pages', seeds, handlers: { *start() {} } })
  const report = await clock.run(() => crawl({ spider: pages, policies: [], plugins: [pool], clock, fetcher }).run())

  expect(report.counts).toMatchObject({ done: 60, failed: 0 })
  const banned = seen.filter((line) => line.startsWith('id=a')).slice(3)
  expect(banned).toHaveLength(1)
  expect(seen).toContain(banned[0]?.replace('id=a', 'id=b'))
})

/** Answers each request after 50 ms of `clock`. */
function fakeServer(clock: Clock, answer: (request: Outbound) => { readonly status: number; readonly body: string }): Fetcher {
  return {
    fetch(outbound, receiver) {
      let isOver = false
      clock.at(clock.now() + 50, () => {
        if (!isOver) receiver.sent()
        if (isOver) return
        const { status, body } = answer(outbound)
        const head = { status, headers: { 'content-type': 'text/html; charset=utf-8' } }
        const bytes = receiver.headers(head) === 'read' ? new TextEncoder().encode(body) : new Uint8Array()
        if (isOver) return
        isOver = true
        const timings = { firstByteMs: 50, bodyMs: 0, reusedSocket: false }
        receiver.done({ url: outbound.url, ...head, body: bytes, wireBytes: bytes.length, timings })
      })
      return () => (isOver = true)
    },
    close: () => Promise.resolve(),
  }
}
