// A client certificate: shown to the server that it is for, also through a proxy, on connections that serve no request without it.
import { proxyServerOf } from '../../plugin-proxies/src/proxy-server.ts'
import { once } from 'node:events'
import type net from 'node:net'
import tls from 'node:tls'
import { startTestProxy } from '@avocet/stress/hostile'
import { expect, it, onTestFinished } from 'vitest'
import { EXPIRED, SELF_SIGNED } from './certificates.ts'
import { exchange, fetcherOf, ok, onRequest, textOf } from './web.ts'

/** Answers with the serial number of the certificate that it was shown, or `nobody`, unless it demands one. */
async function guardedHost(demands: boolean): Promise<{ readonly port: number; readonly connections: () => number }> {
  let connections = 0
  const options = { ...SELF_SIGNED, ca: SELF_SIGNED.cert, requestCert: true, rejectUnauthorized: demands }
  const server = tls.createServer(options, (socket) => {
    connections += 1
    socket.on('error', () => {})
    onRequest(socket, () => socket.write(ok(socket.getPeerCertificate().serialNumber ?? 'nobody')))
  })
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as net.AddressInfo).port, connections: () => connections }
}

const SERIAL = '20C2DB67B5DA1D4EB9FFC51238784BB1BEA7FC85'
const trusting = () => fetcherOf({ ca: SELF_SIGNED.cert })

it('is shown to a server that demands one', async () => {
  const { port } = await guardedHost(true)
  const got = await exchange(trusting(), `https://127.0.0.1:${port}/`, { certificate: SELF_SIGNED })

  expect(textOf(got)).toBe(SERIAL)
})

it('is lacking in a request without it, and of no use where the server does not know it: a failure of the host', async () => {
  const { port } = await guardedHost(true)
  const none = await exchange(trusting(), `https://127.0.0.1:${port}/`)
  const unknown = await exchange(trusting(), `https://127.0.0.1:${port}/`, { certificate: EXPIRED })

  expect([none.failure?.blame, unknown.failure?.blame]).toEqual(['host', 'host'])
})

it('is never shown on a connection of a request without it, or with another, nor the other way round', async () => {
  const { port, connections } = await guardedHost(false)
  const fetcher = trusting()
  const texts: string[] = []
  for (const certificate of [SELF_SIGNED, undefined, EXPIRED, { ...SELF_SIGNED }, undefined])
    texts.push(textOf(await exchange(fetcher, `https://127.0.0.1:${port}/`, certificate && { certificate })) ?? '')

  expect(texts).toEqual([SERIAL, 'nobody', expect.not.stringMatching(SERIAL), SERIAL, 'nobody'])
  expect(connections()).toBe(3)
})

it.each(['http', 'https', 'socks5'] as const)('is shown to the host behind a proxy (%s)', async (kind) => {
  const host = await guardedHost(true)
  const proxy = await startTestProxy({
    kind,
    certificate: SELF_SIGNED,
    route: () => ({ hostname: '127.0.0.1', port: host.port }),
  })
  onTestFinished(() => proxy.close())
  const server = proxyServerOf(proxy.url)
  if (typeof server === 'string') throw new Error(server)

  const got = await exchange(trusting(), 'https://localhost/', { certificate: SELF_SIGNED, proxy: server })

  expect(textOf(got)).toBe(SERIAL)
})
