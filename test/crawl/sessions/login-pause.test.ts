// The pause after a login that failed is in the store before anything else is committed: a kill does not shorten it.
import { crawl, link, memoryFrontier, spider } from 'avocet'
import type { Fetcher, Frontier } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { cookies } from '@avocet/plugin-cookies'
import { expect, it } from 'vitest'
import { formPage } from './member-site.ts'
import { failedLoginsOf } from '../../../packages/cli/src/store/failed-logins.ts'

/** Answers at once. */
const fetcher: Fetcher = {
  fetch({ url }, receiver) {
    const { status, headers, body } = formPage()
    const timings = { firstByteMs: 1, bodyMs: 0, reusedSocket: false }
    setImmediate(() => {
      receiver.sent()
      receiver.headers({ status, headers })
      receiver.done({ url, status, headers, body: new TextEncoder().encode(body), wireBytes: body.length, timings })
    })
    return () => {}
  },
  close: async () => {},
}

it('also where the form is on another host', async () => {
  const inMemory = memoryFrontier()
  const noted = Promise.withResolvers<unknown>()
  const frontier: Frontier = {
    ...inMemory,
    async commit(units) {
      const results = await inMemory.commit(units)
      const failed = await failedLoginsOf(inMemory.reader, await atRest(inMemory.reader))
      if (failed.length > 0) noted.resolve(failed)
      return results
    },
  }
  const members = spider({
    name: 'members',
    seeds: [{ url: 'https://members.test/', session: 'ann' }],
    login: { url: 'https://login.members.test/', submit: () => link('https://login.members.test/in'), isLoggedOut: () => true },
    handlers: { start: () => [] },
  })
  const made = crawl({ spider: members, policies: [], plugins: [cookies()], hosts: { '*': { delayMs: 0 } }, fetcher, frontier })
  const running = made.run()

  expect(await noted.promise).toMatchObject([{ session: 'ann', failures: 1, why: expect.stringContaining('logged out') }])
  made.stop()
  await running
})
