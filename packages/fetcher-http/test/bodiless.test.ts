// Answers that have no body by definition (RFC 9112 §6.3), whatever Content-Length they carry: their connections are kept.
import { describe, expect, it } from 'vitest'
import { exchange, fetcherOf, ok, onRequest, outbound, tcp, type Ask } from './web.ts'

/** A server that counts its connections; `/` is a page, everything else is `answer`. */
async function answering(answer: string): Promise<{ readonly site: string; connections: () => number }> {
  let connections = 0
  const site = await tcp((socket, nth) => {
    connections = nth
    onRequest(socket, (_nth, head) => socket.write(head.startsWith('GET / ') ? ok('page') : answer))
  })
  return { site, connections: () => connections }
}

/** The next turn of the event loop but one: what came with an answer has been read. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

const LARGE = 'Content-Length: 70000\r\n'

describe('an answer without a body', () => {
  it.each<[string, string, Ask]>([
    ['304 that carries a Content-Length of more than 64 KiB', `HTTP/1.1 304 Not Modified\r\n${LARGE}\r\n`, { wish: 'discard' }],
    ['304 whose body would have been read', `HTTP/1.1 304 Not Modified\r\n${LARGE}\r\n`, {}],
    ['304 that says one of 12 MiB', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 12582912\r\n\r\n', {}],
    ['304 in lower case, with a small one', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n', { wish: 'discard' }],
    ['304 without a Content-Length', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n', { wish: 'discard' }],
    ['204 with a Content-Length', `HTTP/1.1 204 No Content\r\n${LARGE}\r\n`, {}],
    ['HEAD that is answered with the length of a page', `HTTP/1.1 200 OK\r\n${LARGE}\r\n`, { method: 'HEAD' }],
    ['HEAD that is redirected', `HTTP/1.1 302 Found\r\nLocation: /x\r\n${LARGE}\r\n`, { method: 'HEAD', wish: 'discard' }],
    ['HEAD that is refused', `HTTP/1.1 503 Sorry\r\n${LARGE}\r\n`, { method: 'HEAD', wish: 'discard' }],
    ['429 with Content-Length: 0', 'HTTP/1.1 429 Slower\r\nContent-Length: 0\r\n\r\n', { wish: 'discard' }],
    ['503 with an empty chunked body', 'HTTP/1.1 503 Sorry\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', { wish: 'discard' }],
    ['205 with Content-Length: 0', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n', {}],
  ])('%s keeps its connection', async (_name, answer, ask) => {
    const { site, connections } = await answering(answer)
    const fetcher = fetcherOf()

    await exchange(fetcher, `${site}/`)
    for (let nth = 1; nth <= 4; nth += 1) {
      const { response, failure } = await exchange(fetcher, `${site}/${nth}`, ask)
      expect(failure).toBeUndefined()
      expect(response?.body.length).toBe(0)
      await settled()
    }

    expect(connections()).toBe(1)
  })

  it('leaves its connection to an exchange that starts within done', async () => {
    const { site, connections } = await answering(`HTTP/1.1 304 Not Modified\r\n${LARGE}\r\n`)
    const fetcher = fetcherOf()

    const statuses = await new Promise<number[]>((resolve, reject) => {
      const ask = (seen: number[]): void => {
        const receiver = { sent() {}, headers: () => 'discard' as const, failed: reject }
        fetcher.fetch(outbound(`${site}/x`), {
          ...receiver,
          done: ({ status }) => (seen.length === 4 ? resolve([...seen, status]) : ask([...seen, status])),
        })
      }
      ask([])
    })

    expect(statuses).toEqual([304, 304, 304, 304, 304])
    expect(connections()).toBe(1)
  })

  it('loses its connection when a body comes all the same', async () => {
    const { site, connections } = await answering(`HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nbody`)
    const fetcher = fetcherOf()

    const first = await exchange(fetcher, `${site}/1`, { wish: 'discard' })
    await settled()
    const second = await exchange(fetcher, `${site}/2`, { wish: 'discard' })

    expect([first.response?.status, second.response?.status]).toEqual([304, 304])
    expect(connections()).toBe(2)
  })

  it('is over when the connection is, if a refusal has no length', async () => {
    const { site } = await answering('HTTP/1.1 429 Slower\r\n\r\n')
    const { calls, response } = await exchange(fetcherOf(), `${site}/1`, { wish: 'discard' })
    expect(response?.status).toBe(429)
    expect(calls).toEqual(['sent', 'headers', 'done'])
  })
})
