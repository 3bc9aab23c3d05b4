// How a transaction is synced is read back.
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresFrontier, type Durability } from '../src/index.ts'

const missing = postgresMissing()
const SPEC = { name: 'synced', hostKeying: 'host' }

describe.skipIf(missing !== undefined)(`durability ${missing ?? ''}`, () => {
  let server: TestPostgres

  beforeAll(async () => {
    server = await postgresDatabase()
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query(
      `CREATE SCHEMA deaf; CREATE FUNCTION deaf.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT $2'`,
    )
    await client.end()
  })

  afterAll(() => server.stop())

  /** Opens a crawl on a server that takes every setting, and leaves it at `left`. */
  async function opened(durability: Durability, left: string): Promise<unknown> {
    const url = new URL(server.url)
    url.searchParams.set('options', `-c search_path=deaf,pg_catalog -c synchronous_commit=${left}`)
    url.searchParams.set('crawl', `${durability} ${left}`)
    const frontier = postgresFrontier(url.href, { allowUnsafe: true, durability })
    onTestFinished(() => frontier.close())
    return frontier.open(SPEC, 0).then(
      () => 'opened',
      (error: unknown) => error,
    )
  }

  it('that is weaker than what was asked for is refused', async () => {
    const message = expect.stringMatching(
      /expected synchronous_commit=on in transactions of the store .*, got off after it was set/,
    )

    expect(await opened('on', 'off')).toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE', message })
    expect(await opened('remote_apply', 'on')).toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
    expect(await opened('remote_write', 'local')).toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
    expect(await opened('local', 'off')).toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
  })

  it('that is as strong, or stronger, is what was asked for', async () => {
    const pairs: readonly (readonly [Durability, string])[] = [
      ['on', 'on'],
      ['local', 'on'],
      ['local', 'remote_write'],
      ['off', 'off'],
    ]
    const found = await Promise.all(pairs.map(([durability, left]) => opened(durability, left)))

    expect(found).toEqual(['opened', 'opened', 'opened', 'opened'])
  })

  it('is read back by each sign-in: the server, or a pooler before it, may be another one by then', async () => {
    let ms = 1_000_000
    const url = new URL(server.url)
    url.searchParams.set('options', '-c search_path=turning,pg_catalog -c synchronous_commit=off')
    url.searchParams.set('crawl', 'turning')
    const sources = { monotonic: () => ms, wall: () => ms }
    const frontier = postgresFrontier(url.href, { allowUnsafe: true, durability: 'on', sources })
    onTestFinished(() => frontier.close())
    await frontier.open(SPEC, 0)
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query('CREATE SCHEMA turning')
    await client.query(`CREATE FUNCTION turning.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT $2'`)
    await client.end()
    ms += 40_000

    await expect(frontier.renew([], 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
  })
})
