// Crawls the API into a PostgreSQL of its own through the real command, kills it in the middle, lets prices rise, crawls again, and compares the rows with the API.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { postgresMissing, startPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { openApi } from './api.ts'
import type { Offer } from './offer.ts'

/** What came of it. */
export interface Checked {
  /** Rows in the table. */
  readonly found: number
  readonly kills: number
  /** In words, at most four. Empty when all is well. */
  readonly differences: readonly string[]
  /** Why nothing was tried. */
  readonly skipped?: string
}

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')
/** The API is ours. */
const HURRY = ['--rate', 'fixed', '--delay', '1ms', '--max-time', '40s']
const KILL_AT = 9

/** Crawls it, kills it, and crawls it again with other prices. */
export async function crawlApi(): Promise<Checked> {
  const missing = postgresMissing()
  if (missing !== undefined) return { found: 0, kills: 0, differences: [], skipped: missing }
  const folder = await mkdtemp(join(tmpdir(), 'avocet-api-'))
  const server = await startPostgres()
  let kill = (): void => {}
  let kills = 0
  const api = await openApi({ onRequest: (number) => number === KILL_AT && kill() })
  const crawl = (...more: readonly string[]): ReturnType<typeof spawn> => {
    const files = [`${import.meta.dirname}/spider.ts`, '--config', `${import.meta.dirname}/avocet.config.ts`]
    const words = [COMMAND, 'crawl', ...files, '-a', `api=${api.origin}`, '--store', 'offers.db', ...HURRY, ...more]
    const env = { ...process.env, DATABASE_URL: server.url }
    return spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  try {
    const first = crawl()
    kill = () => void (first.kill('SIGKILL') && kills++)
    const killed = await ended(first)
    const said = [killed.includes('exit null') ? '' : `it was to be killed: ${killed}`, await ended(crawl())]
    const before = differencesOf(await rowsOf(server.url), api.offers())
    api.raise()
    said.push(await ended(crawl('--fresh', '--yes')))
    const rows = await rowsOf(server.url)
    const failures = said.filter((line) => line !== '')
    return { found: rows.length, kills, differences: [...before, ...differencesOf(rows, api.offers()), ...failures].slice(0, 4) }
  } finally {
    await api.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Empty when the command ended well. */
async function ended(child: ReturnType<typeof spawn>): Promise<string> {
  const over = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  const said = child.stderr === null ? '' : await text(child.stderr)
  const exitCode = await over
  return exitCode === 0 ? '' : `exit ${String(exitCode)}: ${said.trim().split('\n').slice(-3).join(' / ')}`
}

async function rowsOf(url: string): Promise<readonly Offer[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ row: Offer }>(
      `SELECT jsonb_build_object('sku', sku, 'name', name, 'price', price, 'tags', tags) || coalesce(more, '{}') AS row FROM offers ORDER BY sku`,
    )
    return rows.map(({ row }) => row)
  } finally {
    await client.end()
  }
}

/** Each offer is a row, and there is no other. */
function differencesOf(rows: readonly Offer[], offers: readonly Offer[]): readonly string[] {
  const missing = offers.filter((offer) => !rows.some((row) => isDeepStrictEqual(row, offer)))
  const strangers = rows.filter((row) => !offers.some((offer) => isDeepStrictEqual(row, offer)))
  const doubled = rows.length - new Set(rows.map(({ sku }) => sku)).size
  return [
    ...missing.slice(0, 1).map((offer) => `missing: ${JSON.stringify(offer)}`),
    ...strangers.slice(0, 1).map((row) => `unexpected: ${JSON.stringify(row)}`),
    ...(doubled > 0 ? [`${String(doubled)} rows are there twice`] : []),
  ]
}
