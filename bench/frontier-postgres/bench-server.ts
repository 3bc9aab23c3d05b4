// The server that the bench measures: with fsync, and otherwise as PostgreSQL itself is set, not as tests want it.
import { startPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { EVENLY, range } from '../frontier-urls.ts'
import { openedFrontier } from './page-turns.ts'
import { parentOf, serverCpuSeconds } from './server-cpu.ts'

const DEFAULTS = { autovacuum: 'on', shared_buffers: '128MB', max_connections: '100' }
const BATCH = 1_000

/** A server that is measured. */
export interface BenchServer {
  readonly url: string
  /** Such as `18.4`. */
  readonly version: string
  /** CPU of all its processes until now, in seconds. */
  cpuSeconds(): number
  /** Bytes of each table of the crawl called `bench`, with its indexes, after a VACUUM: the server does that by itself, each minute. */
  tableBytes(): Promise<ReadonlyMap<string, number>>
  stop(): Promise<void>
}

/** Starts it. `settings` differ from the defaults. */
export async function startedServer(settings: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const server = await startPostgres({ fsync: true, settings: { ...DEFAULTS, ...settings } })
  const client = new pg.Client(server.url)
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number; version: string }>(
    `SELECT pg_backend_pid() AS pid, split_part(current_setting('server_version'), ' ', 1) AS version`,
  )
  const [{ pid, version } = { pid: 0, version: '' }] = rows
  const postmaster = parentOf(pid)
  return {
    ...{ url: server.url, version },
    cpuSeconds: () => serverCpuSeconds(postmaster),
    async tableBytes() {
      await client.query('VACUUM')
      const { rows: tables } = await client.query<{ name: string; bytes: string }>(
        `SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'avocet_bench'::regnamespace`,
      )
      return new Map(tables.map(({ name, bytes }) => [name, Number(bytes)]))
    },
    async stop() {
      await client.end()
      await server.stop()
    },
  }
}

/** A store of so many URLs, put there by a process that is gone then. */
export async function seed({ url }: BenchServer, urls: number): Promise<void> {
  const frontier = await openedFrontier(url)
  for (let from = 0; from < urls; from += BATCH) await frontier.add(range(from, BATCH, EVENLY))
  await frontier.close()
}
