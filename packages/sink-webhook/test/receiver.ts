// A server that receives webhooks, as hostile as a test wants it.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request as it came. */
export interface Received {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Runs until it is disposed of. */
export interface TestReceiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** HEAD requests so far. */
  readonly heads: () => number
  /** TCP connections so far. */
  readonly connections: () => number
}

/** `answer` ends the response to a POST, or never does. A HEAD gets 405. */
export async function startReceiver(
  answer: (received: Received, response: ServerResponse, request: IncomingMessage) => void,
  port = 0,
): Promise<TestReceiver> {
  const received: Received[] = []
  let connections = 0
  let heads = 0
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const { method = '', headers } = request
        if (method === 'HEAD') {
          heads += 1
          response.writeHead(405).end()
          return
        }
        const one = { method, headers, body }
        received.push(one)
        answer(one, response, request)
      },
      () => undefined,
    )
  })
  server.on('connection', () => (connections += 1))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${String(typeof address === 'object' && address !== null ? address.port : 0)}/hooks/T0AB-secret-path?key=query-secret`,
    received,
    heads: () => heads,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
