// A login whose submit() takes time: it gets that of a handler, and no more. By the real clock: virtual time stands still while it takes any.
import { setTimeout as pause } from 'node:timers/promises'
import { crawl, link, memoryFrontier, spider, type Link } from '@avocet/core'
import type { Fetcher } from '@avocet/core/store'
import { failedLoginsOf } from '@avocet/core/tools'
import { cookies } from '@avocet/plugin-cookies'
import { expect, it } from 'vitest'

const A = 'http://members.test'
const HANDLER_MS = 30

/** Answers everything at once. */
function site(): Fetcher & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    fetch({ url, method }, receiver) {
      asked.push(`${method} ${new URL(url).pathname}`)
      setImmediate(() => {
        const headers = { 'content-type': 'text/html' }
        receiver.sent()
        receiver.headers({ status: 200, headers })
        const body = new TextEncoder().encode('<form id=login action=/in method=post></form>')
        const timings = { firstByteMs: 1, bodyMs: 0, reusedSocket: false }
        receiver.done({ url, status: 200, headers, body, wireBytes: body.length, timings })
      })
      return () => {}
    },
    close: async () => {},
  }
}

/** What the site was asked, and the logins that failed. `lastsMs`: the crawl goes on for so long. */
async function loggedIn(submit: () => Promise<Link>, lastsMs: number) {
  const [fetcher, frontier] = [site(), memoryFrontier()]
  const members = spider({
    name: 'members',
    seeds: [`${A}/`],
    login: { url: `${A}/login`, submit, isLoggedOut: () => false },
    handlers: { *start() {} },
  })
  const hosts = { '*': { delayMs: 0 } }
  const limits = { handlerTimeoutMs: HANDLER_MS, maxTimeMs: lastsMs }
  await crawl({ spider: members, policies: [], plugins: [cookies()], hosts, fetcher, frontier, ...limits }).run()
  const failed = await failedLoginsOf(frontier.reader)
  return { asked: fetcher.asked, failed: failed.map(({ failures, why }) => [failures, why]) }
}

const FAILED = [[1, `submit() of the login did not finish within ${HANDLER_MS} ms`]]

it('fails a login whose submit() never gives a link, within the time of a handler', async () => {
  const { asked, failed } = await loggedIn(() => new Promise(() => {}), 300)

  expect(failed).toEqual(FAILED)
  expect(asked).toEqual(['GET /login'])
})

it('sends nothing where submit() gives the link too late, and fails the login once', async () => {
  const { asked, failed } = await loggedIn(() => pause(5 * HANDLER_MS).then(() => link('/in', { method: 'POST' })), 600)

  expect(failed).toEqual(FAILED)
  expect(asked).toEqual(['GET /login'])
})

it('logs in where submit() is asynchronous, and in time', async () => {
  const { asked, failed } = await loggedIn(async () => link('/in', { method: 'POST', body: 'user=ann' }), 5_000)

  expect(failed).toEqual([])
  expect(asked).toEqual(['GET /login', 'POST /in', 'GET /'])
})
