// The pause after a login that failed is in the store before anything else is committed: a kill does not shorten it.
import { crawl, memoryFrontier, spider } from 'avocet'
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

it('also where the form is on a host that was given back meanwhile', async () => {
  const inMemory = memoryFrontier()
  const noted = Promise.withResolvers<unknown>()
  const frontier: Frontier = {
    ...inMemory,
    async note(parts) {
      await inMemory.note(parts)
      const failed = await failedLoginsOf(inMemory.reader, await atRest(inMemory.reader))
      if (failed.length > 0) noted.resolve(failed)
    },
  }
  const members = spider({
    name: 'members',
    seeds: [{ url: 'https://members.test/', session: 'ann' }],
    login: { url: 'https://login.members.test/', submit: () => new Promise(() => {}), isLoggedOut: () => true },
    handlers: { start: () => [] },
  })
  // By the real clock: virtual time stands still while submit() takes any. What the form taught is committed after 20 ms.
  const made = crawl({ spider: members, policies: [], plugins: [cookies()], handlerTimeoutMs: 100, fetcher, frontier })
  const running = made.run()

  expect(await noted.promise).toMatchObject([{ session: 'ann', failures: 1, why: expect.stringContaining('100 ms') }])
  made.stop()
  await running
})
