// A connection that is made when it is needed, and made again after it broke; its statements go one after the other.
//
// Each statement is a transaction of its own. A deadlock or a conflict with another process is tried again at once: it changed nothing. All else goes to core,
// which knows what to wait for.
import { PostgresClient, type ClientLimits } from './client.ts'
import { sqlStateOf, storeFault } from './postgres-fault.ts'
import type { Queries } from './queries.ts'
import { quotedName, type StoreUrl } from './store-url.ts'

/** A deadlock, or a conflict of transactions. */
const AGAIN: ReadonlySet<string | undefined> = new Set(['40P01', '40001'])
const MOST_TRIES = 8

/** Where it leads. */
export interface LaneParts {
  readonly url: StoreUrl
  readonly limits: ClientLimits
  /** The schema of the crawl, once it is known: what `{S}` stands for. */
  readonly schema: () => string
}

/** Statements of one kind, such as those that write. */
export class Lane implements Queries {
  readonly #parts: LaneParts
  #client: PostgresClient | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  all<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    const asked = this.#last.then(() => this.#ask<Row>(text, values))
    this.#last = asked.catch(() => undefined)
    return asked
  }

  /** Ends the session once what was asked is answered. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#last
    await this.#client?.close()
    this.#client = undefined
  }

  /** Ends it at once, as the death of the process would. */
  destroy(): void {
    this.#isClosed = true
    this.#client?.destroy()
    this.#client = undefined
  }

  async #ask<Row>(text: string, values: readonly unknown[] | undefined): Promise<readonly Row[]> {
    const { url, schema } = this.#parts
    const statement = text.replaceAll('{S}', () => quotedName(schema()))
    for (let tries = 1; ; tries++) {
      const client = await this.#usable()
      try {
        return await client.all<Row>(statement, values)
      } catch (error) {
        if (tries >= MOST_TRIES || !AGAIN.has(sqlStateOf(error))) throw storeFault(error, url, client.secrets)
      }
    }
  }

  async #usable(): Promise<PostgresClient> {
    const { url, limits } = this.#parts
    if (this.#client?.isUsable === true) return this.#client
    if (this.#isClosed) throw storeFault(new Error('the connection is closed'), url, [])
    try {
      return (this.#client = await PostgresClient.open(url.connection, limits))
    } catch (error) {
      throw storeFault(error, url, [decodeURIComponent(new URL(url.connection).password), process.env['PGPASSWORD'] ?? ''])
    }
  }
}
