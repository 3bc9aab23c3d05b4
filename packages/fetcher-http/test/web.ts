// Raw servers that say exactly what a test wants, and one exchange as data. Sockets are real here, so the clock is too.
import type { Response } from '@avocet/core'
import type { Failure, ProxyServer, ResponseHead } from '@avocet/core/plugin'
import { type BodyWish, DEFAULTS, type Fetcher, type Outbound, systemClock, type TimeLimits } from '@avocet/core/store'
import { once } from 'node:events'
import net from 'node:net'
import { onTestFinished } from 'vitest'
import { undiciFetcher, type UndiciFetcherOptions } from '../src/undici-fetcher.ts'

/** How an exchange went, callback by callback. */
export interface Outcome {
  readonly calls: readonly string[]
  readonly head?: ResponseHead
  readonly response?: Response
  readonly failure?: Failure
}

export interface Ask {
  readonly limits?: Partial<TimeLimits>
  readonly wish?: BodyWish
  readonly privateAllowed?: boolean
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly proxy?: ProxyServer
  readonly certificate?: Outbound['certificate']
  readonly http2?: boolean
  readonly save?: Outbound['save']
}

export function outbound(url: string, ask: Ask = {}): Outbound {
  const { method = 'GET', headers = {}, privateAllowed = true, body, proxy, certificate, http2, save } = ask
  const limits = { ...DEFAULTS.timeLimits, ...ask.limits }
  const some = {
    ...(body === undefined ? {} : { body }),
    ...(proxy && { proxy }),
    ...(certificate && { certificate }),
    ...(http2 && { http2 }),
    ...(save && { save }),
  }
  return { url, method, headers, privateAllowed, limits, ...some }
}

/** One exchange from beginning to end. */
export function exchange(fetcher: Fetcher, url: string, ask: Ask = {}): Promise<Outcome> {
  const calls: string[] = []
  let head: ResponseHead | undefined
  return new Promise((resolve) => {
    fetcher.fetch(outbound(url, ask), {
      sent: () => calls.push('sent'),
      headers(came) {
        calls.push('headers')
        head = came
        return ask.wish ?? 'read'
      },
      done(response) {
        calls.push('done')
        resolve({ calls, response, ...(head === undefined ? {} : { head }) })
      },
      failed(failure) {
        calls.push('failed')
        resolve({ calls, failure, ...(head === undefined ? {} : { head }) })
      },
    })
  })
}

export function fetcherOf(options: Partial<UndiciFetcherOptions> = {}): ReturnType<typeof undiciFetcher> {
  const fetcher = undiciFetcher({ clock: systemClock(), ...options })
  onTestFinished(() => fetcher.close())
  return fetcher
}

/** A TCP server on a free port of 127.0.0.1; `serve` gets each connection, counted from 1. */
export async function tcp(serve: (socket: net.Socket, connection: number) => void): Promise<string> {
  const open = new Set<net.Socket>()
  let connections = 0
  const server = net.createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    connections += 1
    serve(socket, connections)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`
}

/** Calls `answer` for each request on the connection, counted from 1, with its head as text. */
export function onRequest(socket: net.Socket, answer: (request: number, head: string) => void): void {
  let seen = ''
  let requests = 0
  socket.on('data', (chunk: Buffer) => {
    seen += chunk.toString('latin1')
    for (let end = seen.indexOf('\r\n\r\n'); end >= 0; end = seen.indexOf('\r\n\r\n')) {
      requests += 1
      answer(requests, seen.slice(0, end))
      seen = seen.slice(end + 4)
    }
  })
}

/** A server that answers every request with these bytes, then closes the connection, keeps it, or resets it. */
export function says(answer: string | Buffer, then: 'end' | 'keep' | 'reset' = 'end'): Promise<string> {
  return tcp((socket) => {
    onRequest(socket, () => {
      socket.write(answer)
      if (then === 'end') socket.end()
      // Later, so that the answer leaves before the reset, which would overtake it.
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20)
    })
  })
}

/** A server that sends `piece` again and again for as long as the client listens, and starts with `first`. */
export function floods(first: string, piece: string | Buffer): Promise<string> {
  return tcp((socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', more)
    onRequest(socket, () => {
      socket.write(first)
      more()
    })
  })
}

/** A complete answer with its length. */
export function ok(body: string | Buffer, fields = ''): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n${fields}\r\n`), bytes])
}

export function textOf({ response }: Outcome): string | undefined {
  return response === undefined ? undefined : Buffer.from(response.body).toString()
}
