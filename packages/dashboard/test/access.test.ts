// Who may see the page, and what each answer says to the browser.
import { once } from 'node:events'
import { request, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { startDashboard, type Dashboard, type DashboardWish } from '@avocet/dashboard'
import { WrongPasswords } from '../src/server/access.ts'
import { HandClock, NotedSteering, stillShelf } from './still-crawl.ts'

let open: Dashboard | undefined
afterEach(() => open?.close())

const steering = new NotedSteering()

async function started(wish: Partial<DashboardWish> = {}): Promise<URL> {
  const clock = new HandClock()
  open = await startDashboard({ shelf: stillShelf({ clock, steering }), clock, ...wish })
  return new URL(open.link)
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Asked {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly localAddress?: string
}

/** By Node's own client, which sends what it is told, also as Host. */
function ask({ port }: URL, { path = '/', method = 'GET', headers = {}, body, localAddress }: Asked): Promise<Answer> {
  return new Promise((done, failed) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, ...(localAddress && { localAddress }) }, (answer) => {
      let text = ''
      answer.on('data', (piece: Buffer) => (text += piece.toString()))
      answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    })
    sent.on('error', failed)
    sent.end(body)
  })
}

async function cookieOf(link: URL): Promise<string> {
  const { headers } = await ask(link, { path: `/${link.search}` })
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

describe('the page', () => {
  it('has a token of 256 bits in its link, which is exchanged for a cookie that no script and no other site can use', async () => {
    const link = await started()
    const { status, headers } = await ask(link, { path: `/${link.search}` })

    expect(Buffer.from(link.searchParams.get('token') ?? '', 'base64url').byteLength).toBe(32)
    expect([status, headers.location]).toEqual([303, '/'])
    expect(headers['set-cookie']?.[0]).toMatch(/^avocet-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/)
    expect(headers['set-cookie']?.[0]).not.toContain(link.searchParams.get('token'))
  })

  it.each(['/', '/app.js', '/events', '/politeness?crawl=still&host=a', '/?token=', `/?token=${'A'.repeat(43)}`, '/login.html'])(
    'answers 403 without the cookie: %s',
    async (path) => {
      expect((await ask(await started(), { path })).status).toBe(403)
    },
  )

  it.each([
    ['a name that leads here', { host: 'evil.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['a name that leads here, and its port', { host: 'evil.example:PORT' }],
    ['what is no name', { host: '127.0.0.1:PORT@evil.example' }],
    ['a page of another site', { origin: 'http://evil.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a sandbox', { origin: 'null' }],
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page on the same site', { 'sec-fetch-site': 'same-site' }],
  ])('answers 403 to %s, also with the cookie, and with the token', async (_who, sent) => {
    const link = await started()
    const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value.replace('PORT', link.port)]))
    const cookie = await cookieOf(link)

    expect((await ask(link, { headers: { cookie, ...headers } })).status).toBe(403)
    expect((await ask(link, { path: `/${link.search}`, headers })).status).toBe(403)
    expect((await ask(link, { path: '/events', headers: { cookie, ...headers } })).status).toBe(403)
  })

  it('lets in who was let in once, under each name of this machine', async () => {
    const link = await started()
    const cookie = await cookieOf(link)
    const statuses = [`127.0.0.1:${link.port}`, `localhost:${link.port}`, `[::1]:${link.port}`].map(
      async (host) => (await ask(link, { headers: { cookie, host } })).status,
    )

    expect(await Promise.all(statuses)).toEqual([200, 200, 200])
    expect((await ask(link, { headers: { cookie: `${cookie}x` } })).status).toBe(403)
  })

  it('says in each answer that nothing else may be loaded, framed, guessed, kept or told', async () => {
    const link = await started()
    const cookie = await cookieOf(link)
    const answers = [
      await ask(link, { headers: { cookie } }),
      await ask(link, { path: '/app.js', headers: { cookie } }),
      await ask(link, {}),
      await ask(link, { path: '/none', headers: { cookie } }),
    ]

    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cache-control']).toBe('no-store')
    }
    expect(answers[0]?.text).not.toMatch(/https?:\/\//)
  })

  it('answers how a host was treated as a file to save', async () => {
    const link = await started()
    const cookie = await cookieOf(link)
    const path = `/politeness?crawl=still&host=${encodeURIComponent('a"\r\nx: y/../.example')}`
    const { status, headers } = await ask(link, { path, headers: { cookie } })

    expect(status).toBe(200)
    expect(headers['content-disposition']).toMatch(/^attachment; filename="[\w.-]+\.html"$/)
  })
})

describe('a server', () => {
  it('lets in its owner while others hold more connections than it has, and say nothing', async () => {
    const link = await started()
    const silent: Socket[] = []
    for (let n = 0; n < 80; n++) {
      const socket = connect(Number(link.port), '127.0.0.1')
      socket.on('error', () => undefined)
      silent.push(socket)
      await once(socket, 'connect')
    }

    expect((await ask(link, { path: `/${link.search}` })).status).toBe(303)
    for (const socket of silent) socket.destroy()
  })

  it('answers 400 to what makes no sense, and never with an error of the engine', async () => {
    const link = await started()
    const headers = { cookie: await cookieOf(link), 'content-type': 'application/json' }
    const asked: readonly Asked[] = [
      ...['null', '1', '"a"', '{'].flatMap((body) => ['/wish', '/act'].map((path) => ({ path, method: 'POST', headers, body }))),
      { path: '/login', method: 'POST', headers, body: 'null' },
      { path: 'http://', headers },
    ]

    for (const each of asked) {
      const { status, text } = await ask(link, each)
      expect([each, status, text]).toEqual([each, 400, expect.stringContaining('expected')])
    }
    expect((await ask(link, { path: '//', headers })).status).toBe(404)
  })
})

describe('actions', () => {
  const action = { crawl: 'still', action: { kind: 'pause' } }
  const json = { 'content-type': 'application/json' }

  it('are done for our page alone, as JSON, and only where they are offered', async () => {
    const link = await started()
    const cookie = await cookieOf(link)
    const post = async (headers: Readonly<Record<string, string>>, said: unknown): Promise<number> =>
      (await ask(link, { path: '/act', method: 'POST', headers, body: JSON.stringify(said) })).status
    steering.asked.length = 0

    expect(await post({ ...json }, action)).toBe(403)
    expect(await post({ cookie, ...json, origin: 'http://evil.example' }, action)).toBe(403)
    expect(await post({ cookie, 'content-type': 'text/plain' }, action)).toBe(415)
    expect(await post({ cookie, 'content-type': 'application/x-www-form-urlencoded' }, action)).toBe(415)
    expect(await post({ cookie, ...json }, { crawl: 'still', action: { kind: 'resume' } })).toBe(409)
    expect(await post({ cookie, ...json }, { crawl: 'other', action: { kind: 'pause' } })).toBe(409)
    expect(await post({ cookie, ...json }, { crawl: 'still', action: { kind: 'constructor' } })).toBe(400)
    expect(
      await post({ cookie, ...json }, { crawl: 'still', action: { kind: 'limit-host', hostKey: 'a', limits: { maxRps: -1 } } }),
    ).toBe(400)
    // Nobody drops all pages by leaving something out.
    for (const named of [{}, { hostKey: '' }, { url: 7 }, { class: 'permanent' }])
      expect(await post({ cookie, ...json }, { crawl: 'still', action: { kind: 'drop', ...named } })).toBe(400)
    expect(steering.asked).toEqual([])

    expect(await post({ cookie, ...json }, action)).toBe(200)
    expect(await post({ cookie, ...json }, { crawl: 'still', action: { kind: 'drop', hostKey: 'a.test' } })).toBe(200)
    expect(steering.asked).toEqual([{ kind: 'pause' }, { kind: 'drop', hostKey: 'a.test' }])
  })

  it('of more than a megabyte are refused', async () => {
    const link = await started()
    const cookie = await cookieOf(link)
    steering.asked.length = 0
    const padded = async (bytes: number): Promise<number> => {
      const said = { path: '/act', method: 'POST', headers: { cookie, ...json }, body: JSON.stringify(action).padEnd(bytes) }
      return (await ask(link, said)).status
    }

    expect(await padded(2 ** 20 + 1)).toBe(400)
    expect(steering.asked).toEqual([])
    expect(await padded(2 ** 20)).toBe(200)
    expect(steering.asked).toEqual([{ kind: 'pause' }])
  })

  it('are done behind a proxy that speaks https', async () => {
    const link = await started()
    const headers = { cookie: await cookieOf(link), ...json, origin: `https://${link.host}` }

    expect((await ask(link, { path: '/act', method: 'POST', headers, body: JSON.stringify(action) })).status).toBe(200)
  })
})

describe('a page without a password', () => {
  it.each(['', 'undefined', 'secret'])('lets nobody in by one: %j', async (password) => {
    const link = await started()
    const body = JSON.stringify({ password })
    const { status, headers } = await ask(link, {
      ...{ path: '/login', method: 'POST', body },
      headers: { 'content-type': 'application/json' },
    })

    expect([status, headers['set-cookie']]).toEqual([403, undefined])
  })
})

describe('wrong passwords', () => {
  it.each([
    ['2001:db8:1:2::7', '2001:db8:1:2:3:4:5:6', true],
    ['2001:db8:1:2::7', '2001:db8:1:3::7', false],
    ['2001:db8::1', '2001:db8:0:0:1::1', true],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.8', false],
    ['fe80::1%eth0', 'fe80::1%eth1', true],
    ['192.0.2.7', '192.0.2.8', false],
  ])('of %s lock out %s: %s', (sender, other, isLockedOut) => {
    const wrong = new WrongPasswords()

    for (let n = 0; n < 10; n++) wrong.add(sender, n)

    expect([wrong.isTooMany(sender, 10), wrong.isTooMany(other, 10)]).toEqual([true, isLockedOut])
  })

  it('are remembered of a thousand senders, those that were wrong last', () => {
    const wrong = new WrongPasswords()
    for (let n = 0; n < 10; n++) wrong.add('192.0.2.1', n)
    for (let n = 0; n < 10; n++) wrong.add('192.0.2.2', n)
    wrong.add('192.0.2.1', 11)

    for (let n = 0; n < 999; n++) wrong.add(`198.51.${n >> 8}.${n & 255}`, 12)

    expect([wrong.isTooMany('192.0.2.1', 13), wrong.isTooMany('192.0.2.2', 13)]).toEqual([true, false])
  })
})

describe('an address that others can reach', () => {
  it('needs a password', async () => {
    await expect(started({ host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'AVO_USAGE',
      message: expect.stringContaining('password'),
    })
  })

  it('counts wrong passwords by who sent them, in a time that no clock is set back in', async () => {
    const clock = new HandClock()
    const link = await started({ host: '0.0.0.0', password: 'correct horse', clock, shelf: stillShelf({ clock }) })
    const login = async (password: string, localAddress: string): Promise<number> =>
      (
        await ask(link, {
          ...{ path: '/login', method: 'POST', localAddress },
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ password }),
        })
      ).status
    for (let n = 0; n < 10; n++) await login(`wrong ${n}`, '127.0.0.2')

    expect(await login('correct horse', '127.0.0.2')).toBe(429)
    expect(await login('correct horse', '127.0.0.3')).toBe(204)
    clock.set(-3_600_000)
    clock.turn(61_000)
    expect(await login('correct horse', '127.0.0.2')).toBe(204)
  })

  it('asks for the password, ten times a minute at most, and gives no other file before', async () => {
    const clock = new HandClock()
    const link = await started({ host: '0.0.0.0', password: 'correct horse', clock, shelf: stillShelf({ clock }) })
    const login = (password: string): Promise<Answer> =>
      ask(link, {
        path: '/login',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ password }),
      })

    expect(await ask(link, {})).toMatchObject({ status: 403, text: expect.stringContaining('type="password"') })
    expect((await ask(link, { path: '/app.js' })).status).toBe(403)
    expect((await login('correct horse')).headers['set-cookie']?.[0]).toContain('HttpOnly; SameSite=Strict')
    for (let n = 0; n < 10; n++) expect((await login(`wrong ${n}`)).status).toBe(403)
    expect((await login('correct horse')).status).toBe(429)
    clock.turn(61_000)
    expect((await login('correct horse')).status).toBe(204)
  })

  it('is known by its addresses, and by no name that somebody else may lead here', async () => {
    const link = await started({ host: '0.0.0.0', password: 'correct horse' })
    const cookie = await cookieOf(link)
    const status = async (host: string): Promise<number> => (await ask(link, { headers: { cookie, host } })).status

    expect([await status(`192.0.2.7:${link.port}`), await status(`evil.example:${link.port}`)]).toEqual([200, 403])
  })
})
