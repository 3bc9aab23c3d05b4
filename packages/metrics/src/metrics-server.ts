// A small HTTP server for scrapes: GET and HEAD of /metrics, and a page at / that leads there.
//
// A scrape takes its numbers in one turn of the event loop, once what is read is there, and writes a text that is made already, so that a slow client costs
// a socket and no more; those, their headers and the time for them are bounded. Several scrapes within a quarter of a second get the same text. A name that
// leads to this machine by a trick (DNS rebinding) gets nothing from a server on loopback: it answers to addresses and to `localhost` alone.
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { FAILURES, reasonOf, type FailureCode } from '@avocet/core/plugin'
import type { Clock } from '@avocet/core/store'
import { isLoopback, listening, type ServerAddress } from './listen-address.ts'
import { crawlFamilies } from './laws/crawl-families.ts'
import { exposition, MEDIA_TYPE } from './laws/family.ts'
import type { MeasuredCrawl } from './laws/counted.ts'
import { ownFigures } from './process-figures.ts'

/** Clients at once; more are turned away. */
const MAX_CONNECTIONS = 32
/** For a request to come, and for its answer to go. */
const TIMEOUT_MS = 10_000
/** A text is good for so long. */
const FRESH_MS = 250
const MAX_HEADER_BYTES = 8_192

const REASONS = (Object.keys(FAILURES) as FailureCode[]).filter((code) => FAILURES[code].blame !== 'user').map(reasonOf)
const LINK = '<!doctype html><title>Avocet</title><p><a href="/metrics">Metrics</a></p>\n'
const HTML = 'text/html; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

/** A crawl as it is now; undefined: nothing has begun. */
type Look = () => MeasuredCrawl | undefined | Promise<MeasuredCrawl>

/** A server that is listening. */
export interface MetricsServer {
  /** Where it answers: `http://127.0.0.1:9464/metrics`. */
  readonly url: string
  /** Shows this from now on, and nothing that was made before. */
  show(look: Look): void
  /** Stops at once. */
  close(): void
}

/** An answer. */
interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/**
 * Serves metrics at an address. It does not keep the process alive.
 *
 * @throws AVO_LISTEN_ADDRESS for one that cannot be listened at: taken, not allowed, or not of this machine.
 * @example
 * ```ts
 * const server = await serveMetrics({ host: '127.0.0.1', port: 9464 }, clock)
 * server.url // 'http://127.0.0.1:9464/metrics'
 * ```
 */
export async function serveMetrics(address: ServerAddress, clock: Pick<Clock, 'monotonic' | 'scale'>): Promise<MetricsServer> {
  const version = await ownVersion()
  const texts = new Texts(version, clock)
  const isLocal = isLoopback(address.host)
  const limits = {
    requestTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    keepAliveTimeout: 5_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const server = createServer(limits, (request, response) => {
    void answerTo(request, { texts, isLocal }).then(
      (answer) => send(request, response, answer),
      () => send(request, response, { status: 500, type: TEXT, body: 'the metrics could not be made\n' }),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  // A client that reads nothing is let go.
  server.timeout = TIMEOUT_MS
  const port = await listening(server, 'metrics', address)
  server.unref()
  return {
    url: `http://${isIP(address.host) === 6 ? `[${address.host}]` : address.host}:${port}/metrics`,
    show: (look) => texts.show(look),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The text of a scrape, made when it is asked for. */
class Texts {
  readonly #version: string
  readonly #clock: Pick<Clock, 'monotonic' | 'scale'>
  #made: { readonly at: number; readonly text: Promise<string> } | undefined
  #look: Look = () => undefined

  constructor(version: string, clock: Pick<Clock, 'monotonic' | 'scale'>) {
    this.#version = version
    this.#clock = clock
  }

  show(look: Look): void {
    this.#look = look
    this.#made = undefined
  }

  get(): Promise<string> {
    const now = this.#clock.monotonic() / (this.#clock.scale ?? 1)
    if (this.#made === undefined || now - this.#made.at >= FRESH_MS) this.#made = { at: now, text: this.#make() }
    return this.#made.text
  }

  async #make(): Promise<string> {
    const own = await ownFigures()
    const surroundings = { own, version: this.#version, node: process.version, reasons: REASONS }
    return exposition(crawlFamilies(await this.#look(), surroundings))
  }
}

async function answerTo(
  { method, url = '/', headers }: IncomingMessage,
  { texts, isLocal }: { readonly texts: Texts; readonly isLocal: boolean },
): Promise<Answer> {
  const path = url.split('?')[0]
  if (isLocal && !isOwnName(headers.host)) return { status: 403, type: TEXT, body: 'expected this machine as the host\n' }
  if (path !== '/metrics' && path !== '/') return { status: 404, type: TEXT, body: 'the metrics are at /metrics\n' }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: TEXT, body: 'expected GET or HEAD\n' }
  if (path === '/') return { status: 200, type: HTML, body: LINK }
  return { status: 200, type: MEDIA_TYPE, body: await texts.get() }
}

/** `Host: localhost:9464`, or an address. */
function isOwnName(host = ''): boolean {
  const name = host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return name === 'localhost' || isIP(name) !== 0
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, type, body }: Answer): void {
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  }
  response.on('error', () => undefined)
  response.writeHead(status, headers).end(method === 'HEAD' ? undefined : body)
}

async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}
