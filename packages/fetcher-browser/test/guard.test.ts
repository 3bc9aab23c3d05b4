// The proxy through which a browser loads: whom it lets out, and where to. Without a browser.
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { systemClock } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { expect, describe, it, onTestFinished } from 'vitest'
import { Guard, type LoadRights } from '../src/guard.ts'
import { scriptSite } from './script-site.ts'

const rights = (url: string, more: Partial<LoadRights> = {}): LoadRights => ({
  url,
  privateAllowed: true,
  otherSites: true,
  maxBytes: 1_000,
  proxy: undefined,
  ...more,
})

async function opened(addresses: Readonly<Record<string, readonly string[]>> = {}): Promise<Guard> {
  const http = undiciFetcher({
    clock: systemClock(),
    resolve: (name, answer) => {
      const found = addresses[name]
      if (found === undefined) answer({ error: Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }) })
      else answer({ addresses: found.map((address) => ({ address, family: 4 })) })
    },
  })
  onTestFinished(() => http.close())
  const guard = new Guard(http)
  await guard.open()
  return guard
}

/** The answer to a request for `url` by the context `name`. */
async function answerTo(guard: Guard, name: string, url: string): Promise<IncomingMessage> {
  const { server, username, password } = guard.proxyFor(name)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const asked = request(server, { path: url, headers: { 'proxy-authorization': authorization, host: new URL(url).host } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response
}

async function statusOf(guard: Guard, name: string, url: string): Promise<number | undefined> {
  const response = await answerTo(guard, name, url)
  response.resume()
  return response.statusCode
}

/** A server on loopback that answers everything with `bytes`, and hangs up. Returns its origin. */
async function serverThatSays(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(bytes, 'latin1'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

describe('the guard of a browser', () => {
  it('lets a context out while it builds a page, and never without a name and the password', async () => {
    await using site = await scriptSite({ '/': 'x' })
    const guard = await opened()
    const first = await statusOf(guard, 'a', site.origin)

    const loading = guard.allow('a', rights(site.origin))
    const during = [await statusOf(guard, 'a', site.origin), await statusOf(guard, 'b', site.origin)]
    loading[Symbol.dispose]()
    const after = await statusOf(guard, 'a', site.origin)
    const [anonymous] = (await once(request(guard.proxyFor('a').server, { path: site.origin }).end(), 'response')) as [
      { statusCode: number },
    ]
    await guard.close()

    expect([first, during, after, anonymous.statusCode]).toEqual([403, [200, 403], 403, 407])
    expect(site.asked).toEqual(['GET /'])
  })

  it('goes by addresses: those of names as the crawl finds them, and the next one where one does not answer', async () => {
    await using site = await scriptSite({ '/': 'x' })
    const { port } = new URL(site.origin)
    const guard = await opened({
      'own.test': ['127.0.0.2', '127.0.0.1'],
      'inside.test': ['127.0.0.1'],
      'cdn.own.test': ['10.0.0.1'],
    })

    using _loading = guard.allow('a', rights(`http://own.test:${port}/`))
    const statuses = []
    for (const name of ['own.test', 'inside.test', 'cdn.own.test', 'unknown.test'])
      statuses.push(await statusOf(guard, 'a', `http://${name}:${port}/`))
    await guard.close()

    expect(statuses).toEqual([200, 403, 403, 502])
    expect(site.asked).toEqual(['GET /'])
  })

  it('keeps to the site where it is to', async () => {
    await using site = await scriptSite({ '/': 'x' })
    const { port } = new URL(site.origin)
    const guard = await opened({
      'shop.example': ['127.0.0.1'],
      'cdn.shop.example': ['127.0.0.1'],
      'other.example': ['127.0.0.1'],
    })

    using _own = guard.allow('a', rights(`http://shop.example:${port}/`, { otherSites: false }))
    const statuses = []
    for (const name of ['shop.example', 'other.example', '192.0.2.1'])
      statuses.push(await statusOf(guard, 'a', `http://${name}:${port}/`))
    await guard.close()

    expect(statuses).toEqual([200, 403, 403])
    expect(site.asked).toEqual(['GET /'])
  })

  it.each(['HTTP/1.1 000 none', 'HTTP/1.1 042 none', 'HTTP/1.1 407 none', 'nonsense'])(
    'has no answer for a page where a server says %s',
    async (line) => {
      const origin = await serverThatSays(`${line}\r\nContent-Length: 0\r\n\r\n`)
      const guard = await opened()

      using _loading = guard.allow('a', rights(origin))
      const status = await statusOf(guard, 'a', origin)
      await guard.close()

      expect(status).toBe(502)
    },
  )

  it('cuts what a server cuts: the page is told, and does not wait for the rest', async () => {
    const origin = await serverThatSays('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it')
    const guard = await opened()

    using _loading = guard.allow('a', rights(origin))
    const told = await answerTo(guard, 'a', origin)
      .then(text)
      .then(
        () => 'whole',
        (error: NodeJS.ErrnoException) => error.code,
      )
    await guard.close()

    expect(told).toBe('ECONNRESET')
  })

  it('tunnels while the page lives: its end closes what is open', async () => {
    await using site = await scriptSite({ '/': 'x' })
    const guard = await opened()
    const { server, username, password } = guard.proxyFor('a')
    const loading = guard.allow('a', rights(site.origin))

    const socket: Socket = connect(Number(new URL(server).port), '127.0.0.1')
    const token = Buffer.from(`${username}:${password}`).toString('base64')
    socket.write(`CONNECT ${new URL(site.origin).host} HTTP/1.1\r\nproxy-authorization: Basic ${token}\r\n\r\n`)
    const [head] = (await once(socket, 'data')) as [Buffer]
    const closed = once(socket, 'close')
    loading[Symbol.dispose]()
    await closed
    await guard.close()

    expect(head.toString()).toMatch(/^HTTP\/1\.1 200 /)
  })
})
