// A request that may not be repeated reaches the server once, whatever becomes of its connection.
import { describe, expect, it } from 'vitest'
import { crawl, link } from 'avocet'
import { exchange, fetcherOf, ok, onRequest, tcp } from './web.ts'

/** A server that serves GETs and closes each kept connection at the first bytes of anything else; counts the requests it saw begin. */
async function closesOnWrites(): Promise<{ readonly site: string; seen: () => readonly string[]; connections: () => number }> {
  const seen: string[] = []
  let connections = 0
  const site = await tcp((socket, nth) => {
    connections = nth
    let served = 0
    socket.prependListener('data', (chunk: Buffer) => {
      const [method = ''] = chunk.toString('latin1').split(' ', 1)
      seen.push(method)
      if (method !== 'GET' && served > 0) socket.destroy()
    })
    onRequest(socket, () => {
      served += 1
      if (!socket.destroyed) socket.write(ok('home'))
    })
  })
  return { site, seen: () => seen, connections: () => connections }
}

describe('a request that may not be repeated', () => {
  it.each(['POST', 'PATCH'])('%s goes out on a connection of its own, where no keep-alive can have ended', async (method) => {
    const { site, seen, connections } = await closesOnWrites()
    const fetcher = fetcherOf()

    await exchange(fetcher, site)
    const { response } = await exchange(fetcher, site, { method, body: 'order=1' })

    expect(response?.timings.reusedSocket).toBe(false)
    expect(seen()).toEqual(['GET', method])
    expect(connections()).toBe(2)
  })

  it('leaves its connection to the next request', async () => {
    const { site, connections } = await closesOnWrites()
    const fetcher = fetcherOf()

    await exchange(fetcher, site, { method: 'POST', body: 'order=1' })
    const { response } = await exchange(fetcher, site)

    expect(response?.timings.reusedSocket).toBe(true)
    expect(connections()).toBe(1)
  })

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])('is not %s, which uses a kept connection', async (method) => {
    let connections = 0
    const site = await tcp((socket, nth) => {
      connections = nth
      onRequest(socket, () => socket.write(ok(method === 'HEAD' ? '' : 'x', 'Connection: keep-alive\r\n')))
    })
    const fetcher = fetcherOf()

    await exchange(fetcher, site)
    await exchange(fetcher, site, { method })

    expect(connections).toBe(1)
  })

  it('is not sent twice by a crawl when the server closes the connection at its first bytes', async () => {
    const seen: string[] = []
    const site = await tcp((socket) => {
      socket.prependListener('data', (chunk: Buffer) => {
        const [method = ''] = chunk.toString('latin1').split(' ', 1)
        seen.push(method)
        if (method === 'POST') socket.destroy()
      })
      onRequest(socket, () => !socket.destroyed && socket.write(ok('home', 'Content-Type: text/html\r\n')))
    })
    const order = link('/order', { method: 'POST', body: 'order=1' })
    const handlers = {
      *start() {
        yield order
      },
    }

    const report = await crawl({ policies: [], spider: { name: 'orders', seeds: [`${site}/`], handlers }, delayMs: 0 }).run()

    expect(seen).toEqual(['GET', 'POST'])
    expect(report.run).toMatchObject({ pages: 1, failed: 1 })
  })
})
