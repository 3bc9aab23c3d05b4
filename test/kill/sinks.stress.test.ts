// A crawl with five sinks, killed with SIGKILL: each has every item. `npm run kills:sinks` does the same two hundred times.
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it } from 'vitest'
import { killedCrawl } from '../../bench/sinks/killed-crawl.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a crawl with five sinks, killed five times ${missing ?? ''}`, () => {
  it('has every item once in PostgreSQL and in each file, and at least once at the webhook', { timeout: 120_000 }, async () => {
    const { books } = await killedCrawl({ kills: 5, seed: 'test' })

    expect(books.wrong).toEqual([])
    expect(books.expected).toBeGreaterThan(500)
    expect(books.refused.expected).toBeGreaterThan(40)
    expect(books.sinks.map(({ sink, missing: lacks, foreign }) => [sink, lacks, foreign])).toEqual([
      ['postgres', 0, 0],
      ['offers.jsonl', 0, 0],
      ['offers.csv', 0, 0],
      ['webhook', 0, 0],
      ['changes.jsonl', 0, 0],
    ])
  })
})
