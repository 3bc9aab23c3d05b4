// The one connection of the sink. The library is loaded when it is made, and what it throws loses the password on its way.
import { Socket } from 'node:net'
import type { Client } from 'pg'
import { PostgresError } from './postgres-error.ts'

/** What a query returns, by the names of its columns. */
type Row = Readonly<Record<string, unknown>>

/** A connection that ends with its signal. */
export class PostgresConnection {
  readonly #client: Client
  readonly #socket: Socket
  #isBroken = false

  private constructor(client: Client, socket: Socket) {
    this.#client = client
    this.#socket = socket
    // Without a listener, the end of an idle connection would end the process. The next query says it.
    client.on('error', () => {
      this.#isBroken = true
    })
  }

  /** Connects. Throws a PostgresError. */
  static async open(url: string | undefined, signal: AbortSignal): Promise<PostgresConnection> {
    const { default: pg } = await import('pg')
    const socket = new Socket()
    try {
      const client = new pg.Client({
        ...(url !== undefined && { connectionString: withLibpqModes(url) }),
        fallback_application_name: 'avocet',
        keepAlive: true,
        stream: () => socket,
      })
      const connection = new PostgresConnection(client, socket)
      await connection.during(signal, () => connection.#said(() => client.connect()))
      return connection
    } catch (error) {
      socket.destroy()
      throw error instanceof PostgresError ? error : PostgresError.of(error, passwordsIn(url))
    }
  }

  /** Runs `work`. When `signal` aborts, the connection is cut at once, and what waits for it throws. */
  async during<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const cut = (): void => {
      this.#isBroken = true
      this.#socket.destroy()
    }
    if (signal.aborted) cut()
    signal.addEventListener('abort', cut, { once: true })
    try {
      return await work()
    } finally {
      signal.removeEventListener('abort', cut)
    }
  }

  /** Throws a PostgresError. */
  async query(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    const { rows } = await this.#said(() => this.#client.query<Row>(text, values === undefined ? undefined : [...values]))
    return rows
  }

  /**
   * Runs `work` in a transaction. A session that is asleep in it (a stopped process) holds its locks for `timeoutMs`, not for ever. The settings are of
   * the transaction, so the connection may come from a pool (PgBouncer).
   */
  async transaction(timeoutMs: number, work: () => Promise<void>): Promise<void> {
    const settings = [
      `SET LOCAL statement_timeout = ${String(Math.ceil(timeoutMs * 0.8))}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${String(timeoutMs)}`,
      // A constraint that is checked at COMMIT would say too late whose fault it is.
      'SET CONSTRAINTS ALL IMMEDIATE',
    ]
    await this.query(['BEGIN', ...settings].join('; '))
    try {
      await work()
      await this.query('COMMIT')
    } catch (error) {
      // If this fails too, the connection is gone, and the transaction with it.
      await this.query('ROLLBACK').catch(() => undefined)
      throw error
    }
  }

  /** Ends the session; a connection that is broken is let go at once. */
  async close(): Promise<void> {
    if (this.#isBroken || this.#socket.destroyed) this.#socket.destroy()
    else await this.#client.end().catch(() => undefined)
  }

  async #said<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      if (this.#isBroken) throw new Error('the connection is closed')
      return await ask()
    } catch (error) {
      const { password } = this.#client as { readonly password?: unknown }
      throw PostgresError.of(error, typeof password === 'string' ? [password] : [])
    }
  }
}

/** `sslmode` as libpq and so every other tool has it, unless the URL decides otherwise: the library takes `require` for `verify-full`, and warns. */
function withLibpqModes(url: string): string {
  const query = url.slice(url.indexOf('?') + 1)
  const hasMode =
    url.includes('?') && /(?:^|&)sslmode=/.test(query) && !/(?:^|&)(?:uselibpqcompat=|sslmode=no-verify)/.test(query)
  return hasMode ? `${url}&uselibpqcompat=true` : url
}

/** What must not be quoted of a URL that cannot be read: all of it, in effect. */
function passwordsIn(url: string | undefined): readonly string[] {
  const [, password] = /^[^:]+:\/\/[^:@/?]*:([^@]*)@/.exec(url ?? '') ?? []
  return [url, password].filter((text) => text !== undefined)
}
