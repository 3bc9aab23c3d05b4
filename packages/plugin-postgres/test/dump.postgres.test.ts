// A crawl on PostgreSQL can be copied record by record.
import { CANONICALISATION, type DumpRecord } from '@avocet/core/store'
import { dumpContract } from '@avocet/testkit/contracts'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresReader, postgresFrontier } from '../src/index.ts'
import { pageRequest, postgresStore } from './stores.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`on a server ${missing ?? ''}`, () => {
  let server: TestPostgres

  beforeAll(async () => {
    server = await startPostgres()
  })

  afterAll(() => server.stop())

  dumpContract('postgres', () => postgresStore(server.url))

  it.skipIf(process.env['AVOCET_TEST_POSTGRES'] !== undefined)('is copied from a replica as from its primary', async () => {
    const frontier = postgresFrontier(`${server.url}?crawl=teas`, { allowUnsafe: true })
    await frontier.open({ name: 'teas', canonicalisation: CANONICALISATION, hostKeying: 'host' }, 0)
    await frontier.add([pageRequest('https://teas.example/1'), pageRequest('https://teas.example/2')])
    await frontier.close()
    const replica = await server.own?.makeReplica()
    const url = (await replica?.read()) ?? ''
    const dumped = async (store: string): Promise<readonly DumpRecord[]> => {
      const reader = await openPostgresReader(`${store}?crawl=teas`)
      try {
        const records: DumpRecord[] = []
        for await (const record of reader.dump?.() ?? []) records.push(record)
        return records
      } finally {
        await reader.close()
      }
    }

    const records = await dumped(url)

    expect(records.map(({ type }) => type)).toEqual(expect.arrayContaining(['store', 'host', 'request', 'end']))
    expect(records).toEqual(await dumped(server.url))
  })
})
