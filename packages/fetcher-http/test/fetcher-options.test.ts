// What the fetcher can be told, and what it refuses to be told.
import { describe, expect, it } from 'vitest'
import { undiciFetcher, type UndiciFetcherOptions } from '../src/undici-fetcher.ts'
import { exchange, fetcherOf, says } from './web.ts'

describe('options of undiciFetcher', () => {
  it.each([
    [{}, 'expected undiciFetcher: clock to be an object, got nothing'],
    [
      { clock: {}, limits: { maxWireByte: 5 } },
      "undiciFetcher: limits has no option 'maxWireByte' (did you mean 'maxWireBytes'?)",
    ],
    [
      { clock: {}, limits: { maxWireBytes: Number.NaN } },
      'expected undiciFetcher: limits.maxWireBytes to be a number of at least 0, or Infinity, got NaN',
    ],
    [{ clock: {}, keepAliveMs: '5' }, "expected undiciFetcher: keepAliveMs to be a number of at least 0, got '5'"],
    [
      { clock: {}, maxIdleConnections: 1.5 },
      'expected undiciFetcher: maxIdleConnections to be a whole number of at least 0, got 1.5',
    ],
    [{ clock: {}, keepAlive: 5 }, "undiciFetcher has no option 'keepAlive' (did you mean 'keepAliveMs'?)"],
  ])('%j are refused', (options, message) => {
    expect(() => undiciFetcher(options as unknown as UndiciFetcherOptions)).toThrow(
      expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message }) as Error,
    )
  })

  it('that are undefined are left out: the limit holds', async () => {
    const large = await says('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nx')
    const limits = { maxWireBytes: undefined } as object
    const { failure } = await exchange(fetcherOf({ limits }), large)

    expect(failure).toMatchObject({ code: 'AVO_BODY_TOO_LARGE' })
  })
})
