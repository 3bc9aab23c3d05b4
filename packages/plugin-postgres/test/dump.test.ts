// A crawl on PostgreSQL can be copied record by record.
import { dumpContract } from '@avocet/testkit/contracts'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/testkit/postgres'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresStore } from './stores.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`on a server ${missing ?? ''}`, () => {
  let server: TestPostgres

  beforeAll(async () => {
    server = await startPostgres()
  })

  afterAll(() => server.stop())

  dumpContract('postgres', () => postgresStore(server.url))
})
