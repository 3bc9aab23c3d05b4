// One connection to the server. The driver is loaded when the first is made.
//
// Nothing of a session is used, so that a pooler may stand between: no named statement, no SET outside a transaction, no LISTEN, no advisory lock.
// A connection that failed in any way but by an error of the statement is let go, and whoever asks next gets a new one.
import type { Client } from 'pg'

/** How long to wait for a connection, and for the answer to a statement. */
export interface ClientLimits {
  readonly connectMs: number
  readonly answerMs: number
}

/** OIDs of `bigint` and `numeric`: all of ours are whole numbers that a double has exactly. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700])

/** A connection. What the driver throws goes on as it is. */
export class PostgresClient {
  readonly #client: Client
  #isBroken = false

  private constructor(client: Client) {
    this.#client = client
    // Without a listener, the end of an idle connection would end the process. The next statement says it.
    client.on('error', () => {
      this.#isBroken = true
    })
  }

  static async open(url: string, { connectMs, answerMs }: ClientLimits): Promise<PostgresClient> {
    const { default: pg } = await import('pg')
    const client = new pg.Client({
      connectionString: withLibpqModes(url),
      fallback_application_name: 'avocet',
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      types: {
        getTypeParser: ((oid: number, format: 'text' | 'binary') =>
          NUMBERS.has(oid) ? Number : (pg.types.getTypeParser(oid, format) as unknown)) as typeof pg.types.getTypeParser,
      },
    })
    const made = new PostgresClient(client)
    try {
      await client.connect()
    } catch (error) {
      made.destroy()
      throw error
    }
    return made
  }

  /** Whether it can be asked. */
  get isUsable(): boolean {
    return !this.#isBroken
  }

  /** The password that the driver found in the URL, in PGPASSWORD or in ~/.pgpass: for nobody's eyes. */
  get secrets(): readonly string[] {
    const { password } = this.#client as { readonly password?: unknown }
    return typeof password === 'string' && password !== '' ? [password] : []
  }

  async all<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    try {
      const { rows } = await this.#client.query(text, values === undefined ? undefined : [...values])
      return rows as Row[]
    } catch (error) {
      // What has no SQLSTATE did not come from the server, and of class 57 P it came with the end of the session.
      const { code } = error as { readonly code?: unknown }
      if (typeof code !== 'string' || code.length !== 5 || /^(?:57P|08)/.test(code)) this.destroy()
      throw error
    }
  }

  /** Lets it go at once, whatever is under way. */
  destroy(): void {
    this.#isBroken = true
    const { connection } = this.#client as { readonly connection?: { readonly stream?: { destroy?(): void } } }
    connection?.stream?.destroy?.()
  }

  /** Ends the session. */
  async close(): Promise<void> {
    if (this.#isBroken) return this.destroy()
    this.#isBroken = true
    await this.#client.end().catch(() => undefined)
  }
}

/** `sslmode` as libpq and so every other tool has it, unless the URL decides otherwise: the driver takes `require` for `verify-full`, and warns. */
function withLibpqModes(url: string): string {
  const { searchParams } = new URL(url)
  const mode = searchParams.get('sslmode')
  if (mode === null || mode === 'no-verify' || searchParams.has('uselibpqcompat')) return url
  return `${url}&uselibpqcompat=true`
}
