// Connections that somebody else speaks on: by the same rules as for requests, and no further than TCP.
import { proxyServerOf } from '../../plugin-proxies/src/proxy-server.ts'
import { once } from 'node:events'
import { createServer, type Server, type AddressInfo, type Socket } from 'node:net'
import { systemClock, type Dialled, type Fetcher } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { startTestProxy, type TestProxyOptions } from '@avocet/stress/hostile'
import { describe, expect, it, onTestFinished } from 'vitest'

type DialTarget = Parameters<NonNullable<Fetcher['dial']>>[0]

/** A server that says of each connection what it was told first. */
async function echo(): Promise<{ readonly port: number; readonly server: Server }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}))
    socket.on('data', (told: Buffer) => void socket.write(`told ${told.toString()}`))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, server }
}

async function dialled(target: Partial<DialTarget>): Promise<Dialled> {
  const fetcher = undiciFetcher({
    clock: systemClock(),
    resolve: (_name, answer) => answer({ addresses: [{ address: '127.0.0.1', family: 4 }] }),
  })
  onTestFinished(() => fetcher.close())
  const whole = { hostname: '127.0.0.1', port: 80, isPlain: true, privateAllowed: true, signal: new AbortController().signal }
  const done = await fetcher.dial?.({ ...whole, ...target })
  if (done === undefined) throw new Error('expected a fetcher that dials')
  return done
}

async function proxy(options: TestProxyOptions): Promise<{ readonly through: DialTarget['proxy']; readonly targets: string[] }> {
  const started = await startTestProxy({ ...options, credentials: { username: 'me', password: 'hush' } })
  onTestFinished(() => started.close())
  const through = proxyServerOf(started.url.replace('://', '://me:hush@'))
  if (typeof through === 'string') throw new Error(through)
  return { through, targets: started.seen.targets }
}

async function says(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return answer.toString()
}

describe('a connection that is dialled', () => {
  it('leads to where a name leads, and to no private address without the right', async () => {
    const { port } = await echo()

    const { socket, proxyFields } = await dialled({ hostname: 'shop.test', port })
    const refused = [
      { hostname: 'shop.test', port, privateAllowed: false },
      { port, privateAllowed: false },
      { hostname: '::1', port, privateAllowed: false, isPlain: false },
    ]

    expect([await says(socket, 'tea'), proxyFields]).toEqual(['told tea', undefined])
    for (const each of refused) await expect(dialled(each)).rejects.toMatchObject({ code: 'AVO_ADDRESS_REFUSED' })
  })

  it.each(['http', 'socks5'] as const)(
    'goes through a proxy (%s): a tunnel for anything, without TLS of our own',
    async (kind) => {
      const { port } = await echo()
      const { through, targets } = await proxy({ kind, route: () => ({ hostname: '127.0.0.1', port }) })

      const { socket } = await dialled({
        hostname: 'shop.test',
        port: 443,
        isPlain: false,
        privateAllowed: false,
        proxy: through,
      })

      expect(await says(socket, '\u0016\u0003')).toBe('told \u0016\u0003')
      expect(targets).toEqual(['shop.test:443'])
    },
  )

  it('ends at an HTTP proxy that forwards a plain request, and says what that wants', async () => {
    const { through, targets } = await proxy({ kind: 'http' })

    const { socket, proxyFields } = await dialled({ hostname: 'shop.test', privateAllowed: false, proxy: through })
    socket.destroy()

    expect(proxyFields).toEqual({ 'proxy-authorization': `Basic ${Buffer.from('me:hush').toString('base64')}` })
    expect(targets).toEqual([])
  })

  it('is given up where its signal aborts, before and while it comes about', async () => {
    const { through } = await proxy({ kind: 'socks5' })
    const ending = new AbortController()

    const coming = dialled({ hostname: 'shop.test', proxy: through, signal: ending.signal })
    ending.abort(new Error('no longer wanted'))

    await expect(coming).rejects.toThrow('no longer wanted')
    await expect(dialled({ signal: AbortSignal.abort(new Error('never wanted')) })).rejects.toThrow('never wanted')
  })
})
