// The server of metrics on real sockets of this machine: what it answers, to whom, and what it says of addresses that cannot be.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { systemClock } from '@avocet/core/store'
import { afterEach, describe, expect, it } from 'vitest'
import { serveMetrics, type MetricsServer } from '../src/metrics-server.ts'
import { strictlyParsed } from './strict-parser.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const open: MetricsServer[] = []

afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function served(address = LOCAL, clock: Parameters<typeof serveMetrics>[1] = systemClock()): Promise<MetricsServer> {
  const server = await serveMetrics(address, clock)
  open.push(server)
  return server
}

function portOf({ url }: MetricsServer): number {
  return Number(new URL(url).port)
}

async function asked(
  server: MetricsServer,
  { host, method = 'GET', path = '/metrics' }: { host?: string; method?: string; path?: string },
): Promise<number | undefined> {
  const sent = request({
    host: '127.0.0.1',
    port: portOf(server),
    path,
    method,
    headers: host === undefined ? {} : { host },
  }).end()
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }]
  response.resume()
  return response.statusCode
}

describe('the server of metrics', () => {
  it('answers in the text format, also before a crawl has begun', async () => {
    const { url } = await served()

    const text = await fetch(url)
    expect(text.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const families = strictlyParsed(await text.text())
    expect([...families.keys()].filter((name) => name.startsWith('avocet_'))).toEqual(['avocet_build_info'])
    const cpu = families.get('process_cpu_seconds_total')?.samples[0]?.value
    expect(cpu).toBeGreaterThan(0)
  })

  it('answers GET and HEAD of /metrics, has a link to it, and nothing else', async () => {
    const { url } = await served()
    const root = url.replace('/metrics', '/')

    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100)
    expect(await (await fetch(root)).text()).toContain('<a href="/metrics">')
    expect((await fetch(`${root}other`)).status).toBe(404)
    expect((await fetch(`${url}?x=1`)).status).toBe(200)
    const post = await fetch(url, { method: 'POST', body: 'x' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('on loopback gives nothing to a name that a page of the web has made lead here', async () => {
    const server = await served()

    const statuses = ['localhost:1', '127.0.0.1', '[::1]:9464', 'rebound.example', 'localhost.evil.example'].map((host) =>
      asked(server, { host }),
    )

    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 403, 403])
  })

  it('makes one text for all that ask within a quarter of a second', async () => {
    let now = 0
    let looks = 0
    const server = await served(LOCAL, { monotonic: () => now })
    server.show(() => void looks++)

    await Promise.all(Array.from({ length: 20 }, () => asked(server, {})))
    expect(looks).toBe(1)

    now = 250
    await asked(server, {})
    expect(looks).toBe(2)
  })

  it('says that it failed where the numbers cannot be had, and goes on', async () => {
    const server = await served()
    server.show(() => {
      throw new Error('oops')
    })
    expect(await asked(server, {})).toBe(500)

    server.show(() => undefined)
    expect(await asked(server, {})).toBe(200)
  })

  it('turns clients away beyond 32, and garbage at once', async () => {
    const server = await served()
    const sockets: Socket[] = []
    let closed = 0
    const gone = Promise.withResolvers<void>()
    for (let n = 0; n < 40; n++) {
      const socket = connect(portOf(server), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.on('close', () => {
        if (++closed === 8) gone.resolve()
      })
      sockets.push(socket)
    }
    await gone.promise
    for (const socket of sockets) socket.destroy()

    const garbage = connect(portOf(server), '127.0.0.1').resume()
    garbage.write('\0\0\0\r\n\r\n')
    await once(garbage, 'close')
    expect(closed).toBeGreaterThanOrEqual(8)
  })

  it('says that an address is not of this machine', async () => {
    await expect(served({ host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
      code: 'AVO_LISTEN_ADDRESS',
      message: 'metrics: expected an address of this machine, got 192.0.2.1; use 127.0.0.1, or 0.0.0.0 for all of them',
    })
  })

  it('says that a port is taken', async () => {
    const port = portOf(await served())

    await expect(served({ host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'AVO_LISTEN_ADDRESS',
      message: `metrics: expected a port that is free, got ${port}, which is in use at 127.0.0.1; choose another, or 0 for any free one`,
    })
  })

  it('has a URL for IPv6 too', async () => {
    const server = await served({ host: '::1', port: 0 }).catch(() => undefined)
    // Not every machine has it.
    if (server !== undefined) expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/)
  })
})
