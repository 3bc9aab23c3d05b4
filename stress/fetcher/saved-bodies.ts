// Bodies that a fetcher saves, beyond its contract. They come as they are, wait for their saver, and end once.
import { createHash } from 'node:crypto'
import type { Response } from '@avocet/core'
import type { Failure } from '@avocet/core/plugin'
import { DEFAULTS, failure, type TimeLimits } from '@avocet/core/store'
import { siteModel, type DeathStyle, type HostSpec, type SiteModel } from '@avocet/simulator'
import type { FetcherOnWeb } from '@avocet/testkit/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WatchedSaver, type WatchedSaverOptions } from './watched-saver.ts'

const QUICK: Pick<HostSpec, 'latency'> = { latency: { law: 'fixed', ms: 5 } }
const LIST: HostSpec['pages'] = { kind: 'list', pages: 3 }
const DEATHS: readonly DeathStyle[] = ['drip', 'truncate', 'endless']

/** One body takes a second, one has a validator, and some never come. */
function modelOfBodies(): SiteModel {
  return siteModel({
    seed: 'saved bodies',
    hosts: [
      { name: 'well.test', pages: LIST, ...QUICK },
      { name: 'refusing.test', pages: LIST, ...QUICK, capacity: { law: 'window', requests: 0, seconds: 3_600 } },
      { name: 'files.test', pages: { kind: 'list', pages: 1, textBytes: 4_000 }, ...QUICK, bytesPerSecond: 4_000 },
      { name: 'parts.test', pages: { kind: 'shop', products: 2, prices: { everyMs: 3_600_000, ratio: 0 } }, ...QUICK },
      ...DEATHS.map((death) => ({ name: `${death}.test`, pages: LIST, ...QUICK, death })),
    ],
  })
}

const KIB = 2 ** 10
const FULL = failure('AVO_FILE_UNWRITABLE', 'ENOSPC: no space left on device')

interface Ask {
  readonly path?: string
  readonly limits?: Partial<TimeLimits>
}

interface Saved {
  readonly saver: WatchedSaver
  readonly calls: readonly string[]
  readonly response?: Response
  readonly failure?: Failure
}

/** Declares its tests; `make` serves the model, as for `fetcherContract`. */
export function savedBodies(name: string, make: (model: SiteModel) => Promise<FetcherOnWeb>): void {
  describe(`saved bodies: ${name}`, () => {
    let web: FetcherOnWeb
    beforeEach(async () => {
      web = await make(modelOfBodies())
    })
    afterEach(() => web.close())
    declared(() => web)
  })
}

function declared(webOf: () => FetcherOnWeb): void {
  const save = (host: string, options: WatchedSaverOptions = {}, ask: Ask = {}): Promise<Saved> => {
    const web = webOf()
    return web.run(() => exchange(web, { host, saver: new WatchedSaver(options), ask }))
  }

  describe('a body that is saved', () => {
    it('is what the server has, and not in memory', async () => {
      const { response, calls, saver } = await save('well.test')
      const body = bodyOf(webOf(), 'well.test')
      expect(calls).toEqual(['sent', 'headers', 'done'])
      expect(saver.calls).toEqual(['accepts', 'write', 'end'])
      expect(response).toMatchObject({
        status: 200,
        wireBytes: body.byteLength,
        saved: { sha256: sha256(body), bytes: body.byteLength },
      })
      expect(response?.body.byteLength).toBe(0)
    })

    it('waits for its saver, and has no total time', async () => {
      const { response, saver } = await save('files.test', { fullEvery: 500 }, { limits: { totalMs: 300 } })
      expect(response?.saved?.sha256).toBe(sha256(bodyOf(webOf(), 'files.test')))
      expect(saver.calls).toEqual(['accepts', 'write', 'end'])
    })

    it('is the part that was asked for', async () => {
      const web = webOf()
      const path = new URL(web.model.expected.products('parts.test')[0]?.url ?? '', web.model.baseOf('parts.test')).pathname
      const body = bodyOf(web, 'parts.test', path)
      const headers = { 'accept-encoding': 'identity', range: 'bytes=100-' }
      const { response } = await save('parts.test', { headers }, { path })
      expect(response).toMatchObject({ status: 206, saved: { sha256: sha256(body.subarray(100)), bytes: body.byteLength - 100 } })
      const beyond = await save('parts.test', { headers: { ...headers, range: 'bytes=1000000-' } }, { path })
      expect(beyond.response?.status).toBe(416)
      expect(beyond.saver.calls).toEqual([])
    })

    it('is read where its saver says so', async () => {
      const { response, saver } = await save('well.test', { accepts: () => 'read' })
      expect(Uint8Array.from(response?.body ?? [])).toEqual(Uint8Array.from(bodyOf(webOf(), 'well.test')))
      expect(saver.calls).toEqual(['accepts'])
    })

    it.each([
      ['refusing.test', 429],
      ['well.test', 404],
    ])('is not asked about where there is none: %s %i', async (host, status) => {
      const { response, saver } = await save(host, {}, status === 404 ? { path: '/not-there' } : {})
      expect(response?.status).toBe(status)
      expect(saver.calls).toEqual([])
    })
  })

  describe('a body that cannot be saved', () => {
    it.each([
      ['at its headers', { accepts: () => failure('AVO_FILE_TYPE', 'expected image/*') }, ['accepts'], 'AVO_FILE_TYPE'],
      ['while it is written', { fails: { afterBytes: 1, failure: FULL } }, ['accepts', 'write', 'abort'], FULL.code],
      ['while it waits', { fullEvery: 1, fails: { afterBytes: 1, failure: FULL } }, ['accepts', 'write', 'abort'], FULL.code],
      ['at its end', { end: FULL }, ['accepts', 'write', 'end'], FULL.code],
    ] as const)('%s: fails as its saver says', async (_when, options, calls, code) => {
      const { failure: failed, saver } = await save('files.test', options)
      expect(failed).toMatchObject({ code, phase: 'body', sent: true })
      expect(saver.calls).toEqual(calls)
      expect((await save('well.test')).response?.status).toBe(200)
    })

    it('fails above the limit of its saver, which may be more or less than that of the fetcher', async () => {
      const announced = await save('files.test', { maxBytes: 100 })
      expect(announced.failure?.code).toBe('AVO_BODY_TOO_LARGE')
      expect(announced.saver.calls).toEqual(['accepts', 'abort'])
      for (const maxBytes of [100 * KIB, 1_200 * KIB]) {
        const endless = await save('endless.test', { maxBytes })
        expect(endless.failure).toMatchObject({ code: 'AVO_BODY_TOO_LARGE', blame: 'url' })
        expect(endless.saver.calls).toEqual(['accepts', 'write', 'abort'])
        expect(endless.saver.bytes).toBeLessThanOrEqual(maxBytes)
        expect(endless.saver.bytes).toBeGreaterThan(maxBytes - 130 * KIB)
      }
    })

    it('fails where the server ends it early, or stalls; what came is kept', async () => {
      const half = await save('truncate.test')
      expect(half.failure).toMatchObject({ code: 'AVO_TRUNCATED', phase: 'body' })
      expect(half.saver).toMatchObject({
        calls: ['accepts', 'write', 'abort'],
        bytes: bodyOf(webOf(), 'truncate.test').byteLength >> 1,
      })
      const drip = await save('drip.test', {}, { limits: { idleMs: 200 } })
      expect(drip.failure?.code).toBe('AVO_IDLE_TIMEOUT')
      expect(drip.saver.calls.at(-1)).toBe('abort')
    })

    it('has its saver aborted once, with nothing said after it', async () => {
      const web = webOf()
      const aborted = new LeavingSaver()
      const calls: string[] = []
      await web.run(async () => {
        aborted.leave = start(web, { host: 'files.test', saver: aborted, calls, ask: {} })
        await exchange(web, { host: 'files.test', saver: new WatchedSaver(), ask: {} })
      })
      expect(aborted.calls).toEqual(['accepts', 'write', 'abort'])
      expect(calls).toEqual(['sent', 'headers'])
    })
  })
}

/** The exchange is aborted with the first piece. */
class LeavingSaver extends WatchedSaver {
  leave: (() => void) | undefined

  override write(piece: Uint8Array): ReturnType<WatchedSaver['write']> {
    const word = super.write(piece)
    this.leave?.()
    return word
  }
}

function exchange(
  web: FetcherOnWeb,
  wanted: { readonly host: string; readonly saver: WatchedSaver; readonly ask: Ask },
): Promise<Saved> {
  const calls: string[] = []
  const { saver } = wanted
  return new Promise((resolve) => {
    start(web, { ...wanted, calls, settled: (rest) => resolve({ saver, calls, ...rest }) })
  })
}

function start(
  { fetcher, model, proxy }: FetcherOnWeb,
  exchanged: {
    readonly host: string
    readonly saver: WatchedSaver
    readonly ask: Ask
    readonly calls: string[]
    readonly settled?: (rest: Pick<Saved, 'response' | 'failure'>) => void
  },
): () => void {
  const { host, saver, calls, ask, settled = () => {} } = exchanged
  const url = new URL(ask.path ?? model.seeds(host)[0] ?? '/', model.baseOf(host)).href
  const limits = { ...DEFAULTS.timeLimits, ...ask.limits }
  const some = { headers: { ...saver.headers }, limits, save: saver, ...(proxy && { proxy }) }
  return fetcher.fetch(
    { url, method: 'GET', privateAllowed: true, ...some },
    {
      sent: () => calls.push('sent'),
      headers() {
        calls.push('headers')
        return 'read'
      },
      done(response) {
        calls.push('done')
        settled({ response })
      },
      failed(failed) {
        calls.push('failed')
        settled({ failure: failed })
      },
    },
  )
}

function bodyOf({ model }: FetcherOnWeb, host: string, path?: string): Uint8Array {
  return model.page(host, path ?? new URL(model.seeds(host)[0] ?? '/', model.baseOf(host)).pathname)?.body ?? new Uint8Array()
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
