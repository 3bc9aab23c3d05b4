// The example does what it says: 400 offers are rows, after a kill and a second crawl.
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it } from 'vitest'
import { crawlApi } from '../check.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`offers of an API in PostgreSQL ${missing ?? ''}`, () => {
  it('are rows, once each, with the prices of the last crawl', { timeout: 90_000 }, async () => {
    expect(await crawlApi()).toEqual({ found: 400, kills: 1, differences: [] })
  })
})
