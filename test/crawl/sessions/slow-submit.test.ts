// A login whose submit() takes time: it gets that of a handler, and no more. By the real clock: virtual time stands still while it takes any.
import { setTimeout as pause } from 'node:timers/promises'
import { crawl, link, memoryFrontier, spider, type Link } from 'avocet'
import type { Fetcher } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { cookies } from '@avocet/plugin-cookies'
import { expect, it } from 'vitest'
import { failedLoginsOf } from '../../../packages/cli/src/store/failed-logins.ts'

const A = 'http://members.test'
/** Another host, whose answer keeps the crawl running. */
const B = 'http://busy.test'
const HANDLER_MS = 30

/** Answers everything at once, and for the busy host when it is `over`. */
function sites(over: Promise<unknown>): Fetcher & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    fetch({ url, method }, receiver) {
      const isBusy = url.startsWith(B)
      if (!isBusy) asked.push(`${method} ${new URL(url).pathname}`)
      void (isBusy ? over : Promise.resolve()).then(() => {
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

/** What the site was asked, and the logins that failed, until all is done, or `over` and what is left waits for the next attempt. */
async function loggedIn(submit: () => Promise<Link>, over: Promise<unknown> = Promise.resolve()) {
  const [fetcher, frontier] = [sites(over), memoryFrontier()]
  const members = spider({
    name: 'members',
    seeds: [`${A}/`, `${B}/`],
    login: { url: `${A}/login`, submit, isLoggedOut: () => false },
    handlers: { *start() {} },
  })
  const hosts = { '*': { delayMs: 0 } }
  const limits = { handlerTimeoutMs: HANDLER_MS, patienceMs: 1_000 }
  await crawl({ spider: members, policies: [], plugins: [cookies()], hosts, fetcher, frontier, ...limits }).run()
  const failed = await failedLoginsOf(frontier.reader, await atRest(frontier.reader))
  return { asked: fetcher.asked, failed: failed.map(({ failures, why }) => [failures, why]) }
}

const FAILED = [[1, `submit() of the login did not finish within ${HANDLER_MS} ms`]]

it('fails a login whose submit() never gives a link, within the time of a handler', async () => {
  const { asked, failed } = await loggedIn(() => new Promise(() => {}))

  expect(failed).toEqual(FAILED)
  expect(asked).toEqual(['GET /login'])
})

it('sends nothing where submit() gives the link too late, and fails the login once', async () => {
  const given = Promise.withResolvers<undefined>()
  const submit = async (): Promise<Link> => {
    await pause(5 * HANDLER_MS)
    given.resolve(undefined)
    return link('/in', { method: 'POST' })
  }
  const { asked, failed } = await loggedIn(submit, given.promise)

  expect(failed).toEqual(FAILED)
  expect(asked).toEqual(['GET /login'])
})

it('logs in where submit() is asynchronous, and in time', async () => {
  const { asked, failed } = await loggedIn(async () => link('/in', { method: 'POST', body: 'user=ann' }))

  expect(failed).toEqual([])
  expect(asked).toEqual(['GET /login', 'POST /in', 'GET /'])
})
