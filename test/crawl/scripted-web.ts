// A fetcher whose answers a test writes down: for questions about the crawl itself, where a site model would say too much.
import type { FailureCode, ResponseHeaders } from '@avocet/core/plugin'
import { failure, type Clock, type Fetcher, type Outbound } from '@avocet/core/store'
import { scriptedSave, type ScriptedSave } from './files/scripted-save.ts'

/** What one URL answers. */
export interface Answer {
  readonly status?: number
  readonly headers?: ResponseHeaders
  readonly body?: string
  /** From the request being written to the headers. Default 10. */
  readonly afterMs?: number
  /** From the booking to the request being written. Default 0. */
  readonly sentAfterMs?: number
  /** From the headers to the end of the body. Default 0. */
  readonly bodyMs?: number
  readonly fails?: FailureCode
  /** What a browser loads beside it. */
  readonly loads?: number
  /** Whether it fails before anything reaches the server. */
  readonly unsent?: boolean
}

/** A request as the web saw it. */
export interface Seen {
  readonly at: number
  readonly outbound: Outbound
}

/** Answers by URL; what is not in `script` is a 404. A list is worked off, its last entry stays. */
export function scriptedWeb(
  clock: Clock,
  script: Readonly<Record<string, Answer | readonly Answer[]>>,
): Fetcher & { readonly seen: readonly Seen[] } {
  const seen: Seen[] = []
  const times = new Map<string, number>()
  return {
    seen,
    fetch(outbound, receiver) {
      let over = false
      let save: ScriptedSave | undefined
      const wake = (ms: number, what: () => void): void => {
        clock.at(clock.now() + ms, () => {
          if (!over) what()
        })
      }
      const answer = (): Answer => {
        const entry = script[outbound.url] ?? { status: 404 }
        if (!Array.isArray(entry)) return entry as Answer
        const nth = times.get(outbound.url) ?? 0
        times.set(outbound.url, nth + 1)
        return (entry[Math.min(nth, entry.length - 1)] ?? { status: 404 }) as Answer
      }
      const {
        status = 200,
        headers = { 'content-type': 'text/html; charset=utf-8' },
        body = '',
        afterMs = 10,
        sentAfterMs = 0,
        bodyMs = 0,
        loads,
        fails,
        unsent = false,
      } = answer()
      wake(sentAfterMs, () => {
        seen.push({ at: clock.now(), outbound })
        if (!unsent) receiver.sent()
        wake(afterMs, () => {
          if (fails !== undefined) {
            over = true
            return receiver.failed(failure(fails, 'as the test wants it', { sent: !unsent }))
          }
          const wish = receiver.headers({ status, headers })
          if (wish === 'read' && !over) save = scriptedSave(outbound.save, { status, headers })
          if (save?.failure !== undefined) {
            over = true
            return receiver.failed(save.failure)
          }
          const end = (): void => {
            over = true
            const bytes = wish === 'read' ? new TextEncoder().encode(body) : new Uint8Array()
            const timings = { firstByteMs: afterMs, bodyMs, reusedSocket: false }
            if (save !== undefined) return save.end({ url: outbound.url, status, headers, timings }, { bytes, receiver, clock })
            receiver.done({
              url: outbound.url,
              status,
              headers,
              body: bytes,
              wireBytes: bytes.length,
              timings,
              ...(loads && { loads }),
            })
          }
          if (bodyMs === 0 || over) return end()
          wake(bodyMs, end)
        })
      })
      return () => {
        if (!over) save?.abort()
        over = true
      }
    },
    close: () => Promise.resolve(),
  }
}
