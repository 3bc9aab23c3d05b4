// The fetcher contract defines the port: every fetcher passes it, over real sockets or over a simulated web.
import type { Response } from '@avocet/core'
import type { BodySaver, Failure, ResponseHead, ProxyServer } from '@avocet/core/plugin'
import { DEFAULTS, type BodyWish, type TimeLimits, type Fetcher } from '@avocet/core/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { siteModel, type DeathStyle, type HostSpec, type SiteModel, type Felt } from '@avocet/simulator'

/** How one exchange went. `calls` are the callbacks in order; `syncCalls` of them came before `fetch` returned. */
interface Outcome {
  readonly calls: readonly string[]
  readonly syncCalls: number
  readonly head?: ResponseHead
  readonly response?: Response
  readonly failure?: Failure
}

/** What to ask, and what to do on the way. */
interface Ask {
  readonly keepBytes?: number
  readonly limits?: Partial<TimeLimits>
  readonly wish?: BodyWish
  readonly save?: BodySaver
  readonly onSent?: (abort: () => void) => void
  readonly onHeaders?: (abort: () => void) => void
}

const QUICK: Pick<HostSpec, 'pages' | 'latency'> = { pages: { kind: 'list', pages: 3 }, latency: { law: 'fixed', ms: 5 } }
const DEATHS: readonly DeathStyle[] = ['refuse', 'blackhole', 'dns-not-found', 'hang', 'reset', 'drip', 'truncate', 'endless']

/** Well, slow with its body, and dead in every way. */
function contractModel(): SiteModel {
  return siteModel({
    seed: 'fetcher-contract',
    hosts: [
      { name: 'well.test', ...QUICK },
      { name: 'slow.test', ...QUICK, bytesPerSecond: 4_000 },
      { name: 'refusing.test', ...QUICK, capacity: { law: 'window', requests: 0, seconds: 3_600 } },
      ...DEATHS.map((death) => ({ name: `${death}.test`, ...QUICK, death })),
    ],
  })
}

/** The failures of the port: what the host does, under which limits, and what it must come to. */
const FAILURES_OF: readonly (readonly [string, Partial<TimeLimits>, Partial<Failure>])[] = [
  ['refuse', {}, { code: 'AVO_CONNECT_REFUSED', phase: 'connect', sent: false, blame: 'host' }],
  ['dns-not-found', {}, { code: 'AVO_DNS_NOT_FOUND', phase: 'dns', sent: false, blame: 'host' }],
  ['blackhole', { connectMs: 200 }, { code: 'AVO_CONNECT_TIMEOUT', phase: 'connect', sent: false, blame: 'host' }],
  ['blackhole', { totalMs: 200 }, { code: 'AVO_TOTAL_TIMEOUT', phase: 'connect', sent: false, blame: 'host' }],
  ['hang', { firstByteMs: 200 }, { code: 'AVO_FIRST_BYTE_TIMEOUT', phase: 'firstByte', sent: true, blame: 'host' }],
  ['hang', { totalMs: 200 }, { code: 'AVO_TOTAL_TIMEOUT', phase: 'firstByte', sent: true, blame: 'host' }],
  ['reset', {}, { code: 'AVO_RESET', phase: 'firstByte', sent: true, blame: 'host' }],
  ['truncate', {}, { code: 'AVO_TRUNCATED', phase: 'body', sent: true, blame: 'url' }],
  ['drip', { idleMs: 200 }, { code: 'AVO_IDLE_TIMEOUT', phase: 'body', sent: true, blame: 'host' }],
  ['drip', { totalMs: 300 }, { code: 'AVO_TOTAL_TIMEOUT', phase: 'body', sent: true, blame: 'host' }],
  ['endless', {}, { code: 'AVO_BODY_TOO_LARGE', phase: 'body', sent: true, blame: 'url' }],
]

/**
 * Declares the tests of a fetcher. `make` serves the model; `maxWireBytes` of the fetcher must be at most 1 MiB, or `endless` takes long.
 *
 * @example
 * ```ts
 * fetcherContract('simulated web', async (model) => {
 *   const clock = new VirtualClock()
 *   const web = simulatedWeb(model, { clock, sizeLimits: { maxWireBytes: 2 ** 20 } })
 *   return { fetcher: web, model, felt: web.felt, run: (work) => clock.run(work), close: () => web.close() }
 * })
 * ```
 */
export function fetcherContract(name: string, make: (model: SiteModel) => Promise<FetcherOnWeb>): void {
  describe(`fetcher contract: ${name}`, () => {
    let web: FetcherOnWeb
    beforeEach(async () => {
      web = await make(contractModel())
    })
    afterEach(() => web.close())

    const ask = (host: string, how?: Ask): Promise<Outcome> => web.run(() => exchange(web, host, how))

    it('says sent, headers, done, and nothing before fetch has returned', async () => {
      const { calls, syncCalls, response } = await ask('well.test')
      expect(calls).toEqual(['sent', 'headers', 'done'])
      expect(syncCalls).toBe(0)
      expect(response?.status).toBe(200)
      expect(Uint8Array.from(response?.body ?? [])).toEqual(pageOf(web, 'well.test'))
      expect(response?.wireBytes).toBe(response?.body.byteLength)
      expect(response?.url).toBe(seedOf(web, 'well.test'))
    })

    it('times its phases, and has no time to connect on a connection that it uses again', async ({ skip }) => {
      skip(web.isRecorded === true)
      const first = await ask('well.test')
      const second = await ask('well.test')
      expect(first.response?.timings.reusedSocket).toBe(false)
      expect(first.response?.timings.connectMs).toBeGreaterThanOrEqual(0)
      expect(first.response?.timings.firstByteMs).toBeGreaterThanOrEqual(4)
      expect(first.response?.timings.bodyMs).toBeGreaterThanOrEqual(0)
      expect(second.response?.timings.reusedSocket).toBe(true)
      expect(second.response?.timings.connectMs).toBeUndefined()
    })

    it('is done in the tick of the headers when the body is unwanted', async () => {
      const { calls, response } = await ask('refusing.test', { wish: 'discard' })
      expect(calls).toEqual(['sent', 'headers', 'done', 'tick'])
      expect(response?.status).toBe(web.isRecorded ? 200 : 429)
      expect(response?.body.byteLength).toBe(0)
    })

    it('says nothing after an unwanted body was let go', async () => {
      const { calls } = await ask('slow.test', { wish: 'discard' })
      await web.run(() => exchange(web, 'well.test'))
      expect(calls).toEqual(['sent', 'headers', 'done', 'tick'])
    })

    it.for(FAILURES_OF)('%s %o', async ([death, limits, expected], { skip }) => {
      skip(web.isRecorded === true)
      // Over TLS nobody can pass a reset on.
      skip(web.proxy !== undefined && (expected.sent === false || (web.proxy.kind === 'https' && death === 'reset')))
      const outcome = await ask(`${death}.test`, { limits })
      expect(outcome.failure).toMatchObject(expected)
      expect(outcome.syncCalls).toBe(0)
      expect(outcome.calls).toEqual([
        ...(expected.sent === true ? ['sent'] : []),
        ...(expected.phase === 'body' ? ['headers'] : []),
        'failed',
      ])
      const neighbour = await ask('well.test')
      expect(neighbour.response?.status).toBe(200)
    })

    it.each(['well.test', 'endless.test'])('has enough with the part of the body that is wanted: %s', async (host) => {
      const { calls, response } = await ask(host, { keepBytes: 40 })
      expect(calls).toEqual(['sent', 'headers', 'done'])
      expect(response?.status).toBe(200)
      expect(response?.body.byteLength).toBe(40)
      const neighbour = await ask('well.test')
      expect(Uint8Array.from(neighbour.response?.body ?? [])).toEqual(pageOf(web, 'well.test'))
    })

    it('tells the phases that a failure got through', async ({ skip }) => {
      skip(web.isRecorded === true)
      const { failure } = await ask('truncate.test')
      expect(failure?.timings?.firstByteMs).toBeGreaterThanOrEqual(4)
      expect(failure?.wireBytes).toBe(pageOf(web, 'truncate.test').byteLength >> 1)
    })

    it('sends nothing when it is aborted before sent', async () => {
      const calls: string[] = []
      await web.run(async () => {
        const abort = start(web, 'well.test', { calls })
        abort()
        abort()
        await exchange(web, 'slow.test')
      })
      expect(calls).toEqual([])
      expect(web.felt('well.test').requests).toBe(0)
    })

    it('says nothing after it was aborted', async () => {
      const atSent: string[] = []
      const atHeaders: string[] = []
      const unwanted: string[] = []
      await web.run(async () => {
        start(web, 'well.test', { calls: atSent, onSent: (abort) => abort() })
        start(web, 'slow.test', { calls: atHeaders, onHeaders: (abort) => abort() })
        start(web, 'slow.test', { calls: unwanted, wish: 'discard', onHeaders: (abort) => abort() })
        await exchange(web, 'slow.test')
      })
      expect(atSent).toEqual(['sent'])
      expect(atHeaders).toEqual(['sent', 'headers'])
      expect(unwanted).toEqual(['sent', 'headers', 'tick'])
    })

    it('takes an abort that comes after the end', async () => {
      const calls: string[] = []
      await web.run(async () => {
        const abort = start(web, 'well.test', { calls })
        await exchange(web, 'slow.test')
        abort()
      })
      expect(calls).toEqual(['sent', 'headers', 'done'])
      const after = await ask('well.test')
      expect(after.response?.status).toBe(200)
    })

    it('saves a body where its saver says so, and has none in memory then', async () => {
      const pieces: Uint8Array[] = []
      const bytes = pageOf(web, 'well.test').byteLength
      const save: BodySaver = {
        headers: { 'accept-encoding': 'identity' },
        maxBytes: Infinity,
        accepts: () => 'save',
        write: (piece) => pieces.push(Uint8Array.from(piece)) > 0,
        drained: () => {},
        end: (done) => done({ path: 'page', sha256: '', bytes }),
        abort: () => {},
      }
      const { calls, response } = await ask('well.test', { save })
      expect(calls).toEqual(['sent', 'headers', 'done'])
      expect(response).toMatchObject({ wireBytes: bytes, saved: { path: 'page', bytes }, body: { byteLength: 0 } })
      expect(Buffer.concat(pieces)).toEqual(Buffer.from(pageOf(web, 'well.test')))
    })

    it('is busy while an exchange is under way, and not after it', async () => {
      let busy = 0
      await ask('well.test', { onSent: () => (busy = web.fetcher.connections?.().busy ?? 1) })
      expect(busy).toBe(1)
      expect(web.fetcher.connections?.().busy ?? 0).toBe(0)
    })
  })
}

function exchange(web: FetcherOnWeb, host: string, how: Ask = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const calls: string[] = []
    start(web, host, { ...how, calls, settled: resolve })
  })
}

function start(
  { fetcher, model, proxy }: FetcherOnWeb,
  host: string,
  how: Ask & { readonly calls: string[]; readonly settled?: (outcome: Outcome) => void },
): () => void {
  const { calls, wish = 'read', settled = () => {}, keepBytes, save } = how
  let syncCalls: number | undefined
  let head: ResponseHead | undefined
  const settle = (rest: Pick<Outcome, 'response' | 'failure'>): void => {
    settled({ calls, syncCalls: syncCalls ?? calls.length, ...(head === undefined ? {} : { head }), ...rest })
  }
  const limits = { ...DEFAULTS.timeLimits, ...how.limits }
  const url = seedOfModel(model, host)
  const abort = fetcher.fetch(
    {
      url,
      method: 'GET',
      headers: { ...save?.headers },
      privateAllowed: true,
      limits,
      ...(keepBytes !== undefined && { keepBytes }),
      ...(save && { save }),
      ...(proxy && { proxy }),
    },
    {
      sent() {
        calls.push('sent')
        how.onSent?.(abort)
      },
      headers(came) {
        calls.push('headers')
        head = came
        how.onHeaders?.(abort)
        if (wish === 'discard') queueMicrotask(() => calls.push('tick'))
        return wish
      },
      done(response) {
        calls.push('done')
        // One microtask later, so that what was queued in the same tick is seen.
        queueMicrotask(() => settle({ response }))
      },
      failed(failure) {
        calls.push('failed')
        settle({ failure })
      },
    },
  )
  syncCalls = calls.length
  return abort
}

function seedOf(web: FetcherOnWeb, host: string): string {
  return seedOfModel(web.model, host)
}

function seedOfModel(model: SiteModel, host: string): string {
  return new URL(model.seeds(host)[0] ?? '/', model.baseOf(host)).href
}

function pageOf(web: FetcherOnWeb, host: string): Uint8Array {
  return web.model.page(host, new URL(seedOf(web, host)).pathname)?.body ?? new Uint8Array()
}

// What a fetcher is tested on: the part of its contract that each fetcher supplies.

/** A fetcher, and the web that it is tested on. */
export interface FetcherOnWeb {
  readonly fetcher: Fetcher
  /** The model with the origins at which it is served. */
  readonly model: SiteModel
  /** The log of a host of the model. */
  felt(host: string): Pick<Felt, 'requests'>
  /** Runs `work` until it settles. On virtual time this drives the clock. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Through which every exchange goes. Then failures to connect are not asked for: it is the proxy that meets them. */
  readonly proxy?: ProxyServer
  /** It answers with what it has of the pages of the model: no host refuses or fails, and nothing takes time. */
  readonly isRecorded?: true
  close(): Promise<void>
}
