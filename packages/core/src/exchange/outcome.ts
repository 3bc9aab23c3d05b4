// The words of an outcome: a failure's reason in the store, and the line of history that an attempt leaves. Pure.
import { fetchedAtOf } from '../exchange.ts'
import type { Failure } from '../failure.ts'
import type { Fetched } from '../frontier.ts'
import type { Response } from '../response.ts'
import type { LiveExchange } from './live-exchange.ts'

/** The line of history of an exchange that ended at `now`. */
export function fetchedOf(exchange: LiveExchange, now: number, response?: Response, cause?: Failure): Fetched {
  return {
    at: fetchedAtOf(exchange, response),
    status: response?.status ?? 0,
    durationMs: Math.max(0, now - (exchange.sentAt ?? exchange.admittedAt)),
    wireBytes: response?.wireBytes ?? cause?.wireBytes ?? 0,
  }
}
