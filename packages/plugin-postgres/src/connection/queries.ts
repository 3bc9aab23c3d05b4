// What the rest of the package asks the database by.
//
// `{S}` in a statement stands for the quoted name of the crawl's schema, `{SAME}` for an expression that fails where another server took the place of that of
// the crawl: each statement that writes has it where it is evaluated if anything is written.

/** Runs statements. `bigint` and `numeric` come as numbers. Throws AvocetErrors. */
export interface Queries {
  /** One statement, in a transaction of its own. */
  all<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** One view of all tables, in which nothing changes. It has a connection of its own until it ends. */
  snapshot(): Promise<Snapshot>
}

/** All that it reads is as of one moment. What fails ends it. */
export interface Snapshot extends Pick<Queries, 'all'> {
  end(): Promise<void>
}

// One view of all tables: a transaction that reads, with a connection of its own.
//
// A table that is emptied at once (tidy, process-functions.sql.ts) is empty in older views as well: the lock comes before the view, and keeps that away.
// It looks rows up by index whatever the statistics say: tables that were filled a moment ago have none. It may lock rows, so it is not READ ONLY.
// Source: PostgreSQL documentation, 13.2.2.

const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off; LOCK TABLE {S}.ready IN ACCESS SHARE MODE`

/** A connection of the library, as far as it is used. */
interface Connection {
  query<Row>(text: string, values?: unknown[]): Promise<{ readonly rows: readonly (Row & Record<string, unknown>)[] }>
  /** `true` ends it. */
  release(ends?: boolean): void
}

/** What it has from its connections. */
interface SnapshotParts {
  readonly client: Connection
  /** What `{S}` stands for. */
  readonly quoted: string
  readonly fault: (thrown: unknown) => Error
}

/** A view that ends once. */
export class ServerSnapshot implements Snapshot {
  readonly #parts: SnapshotParts
  #isOver = false

  private constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  static async begun(parts: SnapshotParts): Promise<ServerSnapshot> {
    const snapshot = new ServerSnapshot(parts)
    await snapshot.all(BEGIN)
    return snapshot
  }

  async all<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { client, quoted, fault } = this.#parts
    try {
      const statement = text.replaceAll('{S}', quoted)
      const { rows } = await client.query<Row>(statement, values.length > 0 ? [...values] : undefined)
      return rows
    } catch (thrown) {
      this.cut()
      throw fault(thrown)
    }
  }

  async end(): Promise<void> {
    if (this.#isOver) return
    await this.all('COMMIT')
    this.#isOver = true
    this.#parts.client.release()
  }

  /** Ends it with its connection, whatever it is doing. */
  cut(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#parts.client.release(true)
  }
}
