// How an exchange is handed to a connection: in undici's words, also where that is a stream of HTTP/2.
import type { Attempt, Stage } from './connector.ts'

/** What is used of undici's Client. */
export interface DispatchClient {
  dispatch(options: DispatchOptions, handler: object): boolean
  destroy(error: Error | null, done: () => void): void
  on(event: 'disconnect', listener: () => void): unknown
}

/** A request in undici's words. */
export interface DispatchOptions {
  readonly path: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | null
  /** Whether the connection ends with this exchange: undici ends those of HEAD unless an option says otherwise. */
  readonly reset?: boolean
}

/** A stream of a connection that exchanges share, as they use it. */
export interface SharedStream {
  readonly key: string
  /** What connecting is at; undefined once the connection stands. */
  readonly stage: Stage | undefined
  readonly through: Attempt['through']
  readonly client: Pick<DispatchClient, 'dispatch'>
  readonly remoteAddress: string | undefined
  readonly tap: undefined
  takeConnectMs(): number | undefined
  /** Resets it, unless it is complete. */
  end(): void
}

/** Whether sending a request twice means the same as sending it once (RFC 9110 §9.2.2). */
export function mayBeSentTwice(method: string): boolean {
  return /^(?:GET|HEAD|OPTIONS|TRACE|PUT|DELETE)$/.test(method)
}
