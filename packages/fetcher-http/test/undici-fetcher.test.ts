// What the fetcher does when all goes well, and what it promises about connections.
import { describe, expect, it } from 'vitest'
import { exchange, fetcherOf, ok, onRequest, outbound, says, tcp, textOf } from './web.ts'

describe('undici fetcher', () => {
  it('fetches a page and tells its phases', async () => {
    const site = await says(ok('hello', 'Content-Type: text/html\r\nX-A: 1\r\nX-A: 2\r\n'))

    const { calls, response } = await exchange(fetcherOf(), `${site}/page?q=1`)

    expect(calls).toEqual(['sent', 'headers', 'done'])
    expect(response?.status).toBe(200)
    expect(response?.url).toBe(`${site}/page?q=1`)
    expect(response?.headers).toMatchObject({ 'content-type': 'text/html', 'x-a': ['1', '2'] })
    expect(Buffer.from(response?.body ?? []).toString()).toBe('hello')
    expect(response?.wireBytes).toBe(5)
    expect(response?.remoteAddress).toBe('127.0.0.1')
    expect(response?.timings.reusedSocket).toBe(false)
    expect(response?.timings.connectMs).toBeGreaterThan(0)
    expect(response?.timings.firstByteMs).toBeGreaterThan(0)
    expect(response?.timings.bodyMs).toBeGreaterThanOrEqual(0)
  })

  it('uses a connection again, and then has no time to connect', async () => {
    let connections = 0
    const site = await tcp((socket, connection) => {
      connections = connection
      onRequest(socket, (request) => socket.write(ok(`page ${request}`)))
    })
    const fetcher = fetcherOf()

    const first = await exchange(fetcher, `${site}/1`)
    const second = await exchange(fetcher, `${site}/2`)

    expect([textOf(first), textOf(second)]).toEqual(['page 1', 'page 2'])
    expect(connections).toBe(1)
    expect(second.response?.timings.reusedSocket).toBe(true)
    expect(second.response?.timings.connectMs).toBeUndefined()
  })

  it('uses a connection again for an exchange that starts within done', async () => {
    let connections = 0
    const site = await tcp((socket, connection) => {
      connections = connection
      onRequest(socket, () => socket.write(ok('x')))
    })
    const fetcher = fetcherOf()

    const reused = await new Promise((resolve) => {
      const ask = (left: number, seen: boolean[]): void => {
        const receiver = { sent() {}, headers: () => 'read' as const, failed: resolve }
        fetcher.fetch(outbound(site), {
          ...receiver,
          done({ timings }) {
            if (left === 1) resolve([...seen, timings.reusedSocket])
            else ask(left - 1, [...seen, timings.reusedSocket])
          },
        })
      }
      ask(3, [])
    })

    expect(reused).toEqual([false, true, true])
    expect(connections).toBe(1)
  })
})
