// The connections to the server: a few, made when they are needed, each call on one of them and in one transaction.
//
// No session state and no named statements, so that a pooler of transactions may stand between. Each wait has a bound: for a connection, and for an answer; a
// connection that did not answer in time is cut, for whatever it says later would be taken for the answer to something else.
// Once a process has found its server, each of its calls is refused by one that took the place of that (failover-functions.sql.ts); one that lacks
// the schema cannot refuse it, so it is asked which one it is.
// Transactions that collide are tried again here, a few times; all other faults are the caller's, who knows which of them may pass.
import { AvocetError } from '@avocet/core'
import { CONNECTION_SECRETS } from '@avocet/plugin-secrets/names'
import type { Client as PgClient, ClientConfig, Pool, PoolClient, QueryConfig } from 'pg'
import { isConflict, storeFault, sqlStateOf } from './postgres-fault.ts'
import { type Queries, type Snapshot, ServerSnapshot } from './queries.ts'
import { storableText } from './storable-text.ts'
import { quotedName, type StoreUrl } from './store-url.ts'
import { TIMELINES } from '../schema/failover-functions.sql.ts'

/** How often a transaction that collides is tried, at most. */
const MOST_TRIES = 8
/** A server that says nothing to a new connection for so long is away, however long its answers may take. */
const CONNECTING_MS = 15_000
/** What gets through in the time that every call has, characters; and how much longer a call has for each thousand beyond: three bytes each, at 1 Mbit/s. */
const PROMPT_CHARS = 250_000
const MS_A_THOUSAND = 24

/** Where the store is. */
export interface ServerPlace {
  readonly url: StoreUrl
  /** Of the crawl: what `{S}` stands for. */
  readonly schema: string
  readonly connections: number
  /** For a connection, and for an answer; a call that carries much has more. */
  readonly timeoutMs: number
}

/** Connections to one crawl. */
export class ServerConnections implements Queries {
  readonly #place: ServerPlace
  readonly #quoted: string
  /** The server and the database, for people. */
  readonly name: string
  #pool: Promise<Pool> | undefined
  #isClosed = false
  /** Of the server. */
  #timeline: string | undefined
  readonly #snapshots = new Set<ServerSnapshot>()
  /** What the library found in the URL, in PGPASSWORD or in ~/.pgpass. */
  readonly #secrets: string[] = [process.env['PGPASSWORD'] ?? '']

  constructor(place: ServerPlace) {
    this.#place = place
    this.#quoted = quotedName(place.schema)
    this.name = place.url.shown
  }

  async all<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const same = this.#timeline === undefined ? 'true' : `{S}.same_server('${this.#timeline.replaceAll("'", "''")}')`
    const statement = text.replaceAll('{SAME}', same).replaceAll('{S}', this.#quoted)
    for (let tries = 1; ; tries++) {
      try {
        return await this.#run<Row>(statement, values)
      } catch (thrown) {
        if (!isConflict(thrown) || tries >= MOST_TRIES) throw this.#fault(await this.#meantBy(thrown))
      }
    }
  }

  async snapshot(): Promise<Snapshot> {
    try {
      const [client, quoted] = [await this.#client(), this.#quoted]
      const snapshot = await ServerSnapshot.begun({ client, quoted, fault: (thrown) => this.#fault(thrown) })
      this.#snapshots.add(snapshot)
      return snapshot
    } catch (thrown) {
      throw this.#fault(thrown)
    }
  }

  /** Several statements, in one transaction. */
  async script(text: string): Promise<void> {
    await this.all(text)
  }

  /** From here on all that writes is done on a server of this timeline, or not at all. */
  stayOn(timeline: string): void {
    this.#timeline = timeline
  }

  /**
   * The value of one function of the schema. AV001, which functions raise for leases that are lost, comes as the library has it. Throws
   * AVO_FRONTIER_FAILED_OVER where another server took the place of that of the crawl.
   */
  async call<Answer>(name: string, values: readonly unknown[]): Promise<Answer> {
    const places = values.map((_, n) => `$${String(n + 1)}`).join(',')
    const rows = await this.all<{ answer: Answer }>(`SELECT {SAME} AS same, {S}.${name}(${places}) AS answer`, values)
    return rows[0]?.answer as Answer
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // The pool would wait for them.
    for (const snapshot of this.#snapshots) snapshot.cut()
    const pool = await this.#pool
    await pool?.end()
  }

  /** Tables may be missing because the server is another one. */
  async #meantBy(thrown: unknown): Promise<unknown> {
    return this.#timeline === undefined ? thrown : whyMissing(thrown, this.#timeline, (statement) => this.#run(statement, []))
  }

  #fault(thrown: unknown): Error {
    return isOurs(thrown) ? thrown : storeFault(thrown, this.#place.url, this.#secrets)
  }

  async #run<Row>(statement: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const client = await this.#client()
    try {
      const { rows } = await client.query<Row & Record<string, unknown>>({
        text: statement,
        ...(values.length > 0 && { values: values.map(storableValue) }),
        query_timeout: answerMs(this.#place.timeoutMs, values),
      } as QueryConfig)
      client.release()
      return rows
    } catch (thrown) {
      // One that the server answered is as good as before; any other is cut.
      client.release(!(thrown instanceof Error && 'severity' in thrown && thrown.severity === 'ERROR'))
      throw thrown
    }
  }

  async #client(): Promise<PoolClient> {
    if (this.#isClosed)
      throw new AvocetError('AVO_FRONTIER_CLOSED', `${this.name}: expected an open store, got one before open() or after close()`)
    this.#pool ??= this.#made()
    return (await this.#pool).connect()
  }

  #learn(client: object): void {
    const { password } = client as { readonly password?: unknown }
    if (typeof password === 'string' && !this.#secrets.includes(password)) this.#secrets.push(password)
  }

  async #made(): Promise<Pool> {
    const { default: pg } = await import('pg')
    const { url, connections, timeoutMs } = this.#place
    const Client = patientFor(Math.min(timeoutMs, CONNECTING_MS), pg.Client)
    const pool = new pg.Pool({
      Client,
      connectionString: withLibpqModes(url.connection),
      max: connections,
      fallback_application_name: 'avocet',
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      types: { getTypeParser: ((oid: number, format: 'text') => parserOf(oid) ?? pg.types.getTypeParser(oid, format)) as never },
    })
    // Without a listener, the end of an idle connection would end the process. The next call makes a new one.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => {
      // Nor would that of one in use: its statement says it.
      client.on('error', () => undefined)
      this.#learn(client)
    })
    const given = new URL(url.connection)
    this.#learn({ password: decodeURIComponent(given.password) })
    for (const name of CONNECTION_SECRETS) this.#learn({ password: given.searchParams.get(name) })
    return pool
  }
}

/** A client that waits so long for the server's first word. The pool has one bound for that and for waiting until a connection is free. */
function patientFor(ms: number, Client: typeof PgClient): new (config?: ClientConfig) => PgClient {
  return class extends Client {
    constructor(config?: ClientConfig) {
      super({ ...config, connectionTimeoutMillis: ms })
    }
  }
}

/** How long the answer to a call with these values may take: what is long takes its time on a slow line. */
function answerMs(timeoutMs: number, values: readonly unknown[]): number {
  let chars = 0
  for (const value of values) if (typeof value === 'string') chars += value.length
  return timeoutMs + (Math.max(0, chars - PROMPT_CHARS) / 1_000) * MS_A_THOUSAND
}

/** `sslmode` as libpq and so every other tool has it, unless the URL decides otherwise: the library takes `require` for `verify-full`, and warns. */
function withLibpqModes(url: string): string {
  const { searchParams } = new URL(url)
  const mode = searchParams.get('sslmode')
  if (mode === null || mode === 'no-verify' || searchParams.has('uselibpqcompat')) return url
  return `${url}&uselibpqcompat=true`
}

/** bigint and numeric are numbers here: none of ours is beyond 2^53. */
function parserOf(oid: number): ((text: string) => number) | undefined {
  return oid === 20 || oid === 1_700 ? Number : undefined
}

/** No call fails for U+0000 in a text of it. */
function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? storableText(value) : value
  return Array.isArray(value) ? value.map(storableValue) : value
}

function isOurs(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'AV001'
}

// Why tables are missing while a process works on them: either they were removed, or another server took the place of the crawl's and lacks them. Where they
// exist, they refuse calls of such a process themselves (failover-functions.sql.ts).

/** A schema, a table, or a function of it. */
const MISSING: ReadonlySet<string | undefined> = new Set(['3F000', '42P01', '42883'])

/** Runs a statement that needs no table. */
type Ask = <Row>(statement: string) => Promise<readonly Row[]>

/** The error to throw: `thrown` itself if the server still has this timeline, otherwise one that says that another server took its place. */
async function whyMissing(thrown: unknown, timeline: string, ask: Ask): Promise<unknown> {
  if (!MISSING.has(sqlStateOf(thrown))) return thrown
  try {
    return (await timelineOf(ask)) === timeline ? thrown : fault('AV002', 'another server took the place of that of the crawl')
  } catch (another) {
    return another
  }
}

/** Throws for a replica that nobody has promoted yet. */
async function timelineOf(ask: Ask): Promise<string | undefined> {
  const [row] = await ask<{ readonly is_replica: boolean }>('SELECT pg_is_in_recovery() AS is_replica')
  if (row?.is_replica !== false) throw fault('25006', 'the server is a read-only replica')
  const found = await ask<{ readonly timeline: string }>(`SELECT ${TIMELINES.usual} AS timeline`).catch((thrown: unknown) => {
    if (sqlStateOf(thrown) === undefined) throw thrown
    return ask<{ readonly timeline: string }>(`SELECT ${TIMELINES.without} AS timeline`)
  })
  return found[0]?.timeline
}

function fault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
