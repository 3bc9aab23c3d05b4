// A login whose submit() takes time: it gets that of a handler, and no more.
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { logIn, type LoginParts } from '../../src/exchange/log-in.ts'
import { Link } from '../../src/link.ts'
import type { Response } from '../../src/response.ts'

const URL_OF_LOGIN = 'http://members.test/login'
const ANSWER = {
  url: URL_OF_LOGIN,
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: new TextEncoder().encode('<form id=login></form>'),
  wireBytes: 1,
  timings: { firstByteMs: 1, bodyMs: 0, reusedSocket: false },
} as unknown as Response

/** Why the login failed, what it requested, and what time was held for. */
async function loggedIn(submit: () => Promise<Link>): Promise<{ why: string | undefined; asked: string[]; ends: () => number }> {
  const asked: string[] = []
  let ends = 0
  const secrets = { headers: { hidden: (fields: object) => fields } }
  const settings = { clock: systemClock(), handlerTimeoutMs: 30, html: 'parse5', hostKeying: 'host', secrets }
  const parts = {
    run: { settings, goOn() {} },
    login: { url: URL_OF_LOGIN, submit, isLoggedOut: () => false },
    discoveries: { documentRefusal: () => undefined },
    guests: {
      send(request: { readonly method: string }, visited: (answer: Response) => void) {
        asked.push(request.method)
        queueMicrotask(() => visited(ANSWER))
      },
    },
  } as unknown as LoginParts
  const why = await new Promise<string | undefined>((resolve) =>
    logIn({ url: URL_OF_LOGIN, session: undefined }, parts, (reason) => {
      ends++
      resolve(reason)
    }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  return { why, asked, ends: () => ends }
}

describe('submit() of a login', () => {
  it('that never gives a link fails the login within the time of a handler', async () => {
    const { why, asked } = await loggedIn(() => new Promise(() => {}))

    expect(why).toBe('submit() of the login did not finish within 30 ms')
    expect(asked).toEqual(['GET'])
  })

  it('that gives it too late sends nothing, and ends the login once', async () => {
    const late = Promise.withResolvers<Link>()
    const ran = await loggedIn(() => late.promise)
    late.resolve(new Link('/in', { method: 'POST' }))
    await new Promise((resolve) => setImmediate(resolve))

    const { why, asked } = ran
    expect([why, asked, ran.ends()]).toEqual(['submit() of the login did not finish within 30 ms', ['GET'], 1])
  })

  it('that takes its time within that logs in', async () => {
    const { why, asked } = await loggedIn(async () => new Link('/in', { method: 'POST', body: 'user=ann' }))

    expect([why, asked]).toEqual([undefined, ['GET', 'POST']])
  })
})
