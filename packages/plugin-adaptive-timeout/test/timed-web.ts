// A web of one host where a test says how long each phase of each exchange takes; the limits hold as they do on the wire.
import type { FailureCode } from '@avocet/core/plugin'
import { failure, type Clock, type Fetcher, type TimeLimits } from '@avocet/core/store'

/** How long the phases of the `n`-th exchange take, ms; Infinity = for ever. Default 0 but for the first byte. */
export interface Takes {
  readonly firstByteMs: number
  readonly connectMs?: number
  readonly bodyMs?: number
  readonly status?: number
}

/** What was asked for, and under which limits. */
export interface Asked extends TimeLimits {
  readonly url: string
}

/** Answers as told, and remembers the limits of each exchange. */
export function timedWeb(
  clock: Clock,
  takes: (n: number, url: string) => Takes,
): Fetcher & { readonly limits: readonly Asked[] } {
  const limits: Asked[] = []
  return {
    limits,
    fetch({ url, limits: own }, receiver) {
      limits.push({ url, ...own })
      const { connectMs = 0, firstByteMs, bodyMs = 0, status = 200 } = takes(limits.length, url)
      let next: Disposable | undefined
      const after = (ms: number, step: () => void): void => {
        next = clock.at(clock.now() + ms, step)
      }
      const fail = (ms: number, code: FailureCode, phase: 'connect' | 'firstByte' | 'body'): void =>
        after(ms, () => receiver.failed(failure(code, 'as the test wants it', { phase, sent: phase !== 'connect' })))
      const body = (): void => {
        receiver.headers({ status, headers: { 'content-type': 'text/html' } })
        const left = own.totalMs - connectMs - firstByteMs
        if (bodyMs > left) return fail(left, 'AVO_TOTAL_TIMEOUT', 'body')
        const timings = { connectMs, firstByteMs, bodyMs, reusedSocket: false }
        after(bodyMs, () => receiver.done({ url, status, headers: {}, body: new Uint8Array(1), wireBytes: 1, timings }))
      }
      const send = (): void => {
        receiver.sent()
        if (firstByteMs > own.firstByteMs) return fail(own.firstByteMs, 'AVO_FIRST_BYTE_TIMEOUT', 'firstByte')
        after(firstByteMs, body)
      }
      if (connectMs > own.connectMs) fail(own.connectMs, 'AVO_CONNECT_TIMEOUT', 'connect')
      else after(connectMs, send)
      return () => next?.[Symbol.dispose]()
    },
    close: () => Promise.resolve(),
  }
}
