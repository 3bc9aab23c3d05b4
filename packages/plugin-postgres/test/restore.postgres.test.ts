// A crawl on PostgreSQL is copied row by row: from a replica too, and into an empty one only.
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresReader, postgresFrontier, type PostgresFrontier } from '../src/index.ts'
import { pageRequest } from './stores.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a copy on a server ${missing ?? ''}`, () => {
  let server: TestPostgres

  beforeAll(async () => {
    server = await startPostgres()
  })

  afterAll(() => server.stop())

  async function opened(crawl: string): Promise<PostgresFrontier> {
    const frontier = postgresFrontier(`${server.url}?crawl=${crawl}`, { allowUnsafe: true })
    await frontier.open({ name: crawl, hostKeying: 'host' }, 0)
    return frontier
  }

  it('is refused where there is a crawl, and of what the server cannot keep as it is', async () => {
    const [busy, empty] = [await opened('busy'), await opened('empty')]
    await busy.add([pageRequest('https://teas.example/1')])
    const row = { id: 1, method: 'POST', body: 'a\0b', headers: null, data: null }
    const rows = [{ ...row, hops: null, redirected_from: null, identity: null, asked_at: null }]
    const copied = [{ table: 'extra', rows }] as const

    await expect(busy.restore(readable([]))).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
    await expect(empty.restore(readable(copied))).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })

    await Promise.all([busy.close(), empty.close()])
  })

  it.skipIf(process.env['AVOCET_TEST_POSTGRES'] !== undefined)('is made from a replica as from its primary', async () => {
    const frontier = await opened('teas')
    await frontier.add([pageRequest('https://teas.example/1'), pageRequest('https://teas.example/2')])
    await frontier.close()
    const replica = await server.own?.makeReplica()
    const rowsOf = async (store: string): Promise<readonly object[]> => {
      const reader = await openPostgresReader(`${store}?crawl=teas`)
      try {
        const all: object[] = []
        for await (const some of reader.rows()) all.push(some)
        return all
      } finally {
        await reader.close()
      }
    }

    const rows = await rowsOf((await replica?.read()) ?? '')

    expect(rows).toMatchObject([{ table: 'crawl' }, { table: 'handler' }, { table: 'host' }, { table: 'request' }])
    expect(rows).toEqual(await rowsOf(server.url))
  })
})

async function* readable<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
}
