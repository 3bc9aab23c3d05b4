// A login beside hosts that are ready all the time: it begins at the pace of its own host.
import { crawl, link, spider } from 'avocet'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'

const FORM = 'http://members.test/'

it.each([
  [0, 1],
  [50, 1],
])('begins beside %d busy hosts, with %d at a time', async (others, concurrency) => {
  const hosts = ['members.test', ...Array.from({ length: others }, (_, n) => `shop-${n}.test`)]
  const model = siteModel({ seed: 'busy', hosts: hosts.map((name) => ({ name, pages: { kind: 'shop', products: 20 } })) })
  const clock = new VirtualClock()
  const waits: number[] = []
  let [good, outAt]: [number, number | undefined] = [0, undefined]
  const busy = spider({
    name: 'busy',
    seeds: model.seeds(),
    login: {
      url: FORM,
      submit() {
        if (outAt !== undefined) waits.push(clock.now() - outAt)
        ;[good, outAt] = [0, undefined]
        return link(FORM)
      },
      isLoggedOut({ request }) {
        if (request.handler === '(login)') return false
        if (++good <= 10) return false
        outAt ??= clock.now()
        return true
      },
    },
    handlers: {
      *start(page) {
        yield* page.links()
      },
    },
  })
  const made = crawl({ spider: busy, policies: [], clock, concurrency, fetcher: simulatedWeb(model, { clock }) })
  const report = await clock.run(() => made.run())

  expect(report.ended).toBe('done')
  expect(waits.length).toBeGreaterThan(0)
  // At most one turn of every other host, 50 ms each, and the second that its own waits between two requests.
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_000 + 50 * (others + 1))
})
