// Which programs a PostgreSQL server for tests is made of.
import { postgresMissing } from '@avocet/stress/postgres'
import { afterEach, describe, expect, it, vi } from 'vitest'

describe('the programs of a PostgreSQL server for tests', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('are those of the folder that is named, which must have them', () => {
    vi.stubEnv('AVOCET_TEST_POSTGRES', undefined)
    vi.stubEnv('AVOCET_TEST_POSTGRES_PROGRAMS', '/nowhere/15')

    expect(() => postgresMissing()).toThrow(
      'AVOCET_TEST_POSTGRES_PROGRAMS: expected a folder with bin/initdb, such as /usr/lib/postgresql/15, got /nowhere/15',
    )
  })
})
