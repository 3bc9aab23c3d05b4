// PostgreSQL is a frontier.
import { frontierContract } from '@avocet/testkit/contracts'
import { frontierDetails } from '@avocet/stress/frontier'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresStore } from './stores.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`on a server ${missing ?? ''}`, () => {
  let server: TestPostgres

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  frontierContract('postgres', () => postgresStore(server.url), { shared: true })
  frontierDetails('postgres', () => postgresStore(server.url), { shared: true, keepsTime: true })
})
