// What is told of a parameter that is named as secret when the store has its values already.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import type { FrontierReader, RequestRecord } from '../../src/frontier-reader.ts'
import { LoopBudget } from '../../src/process/loop-budget.ts'
import { namedLate } from '../../src/crawl/open-run.ts'
import { countTurns } from '../count-turns.ts'

const record = (id: number, url: string): RequestRecord => ({
  id,
  url,
  handler: 'start',
  hostKey: 'shop.test',
  state: 'waiting',
  depth: 1,
  priority: 0,
  attempts: 0,
  freeAttempts: 0,
})

/** `count` URLs, which answer at once. */
const rowsOf = (count: number, urlOf: (id: number) => string): Pick<FrontierReader, 'requests'> => ({
  requests: ({ afterId = 0, limit }) =>
    Promise.resolve(
      Array.from({ length: Math.min(limit, count - afterId) }, (_, n) => record(afterId + n + 1, urlOf(afterId + n + 1))),
    ),
})

const told = (reader: Pick<FrontierReader, 'requests'>): Promise<string | undefined> =>
  namedLate({ reader, loop: new LoopBudget(new VirtualClock()) }, ['sid'])

describe('a secret that is named late', () => {
  it('is looked for in a turn of the event loop for each thousand URLs', async () => {
    const turns = countTurns()
    await told(rowsOf(20_000, (id) => `https://shop.test/${id}?sid=x`))
    turns.stop()

    expect(turns.now).toBeGreaterThanOrEqual(19)
  })

  it('is in all of the URLs that are counted, or in at least so many of a large store', async () => {
    const small = await told(rowsOf(3_000, (id) => `https://shop.test/${id}?sid=x`))
    const large = await told(rowsOf(300_000, (id) => `https://shop.test/${id}?sid=x`))

    expect(small).toContain('the store keeps 3000 URLs with a value of sid')
    expect(large).toContain('the store keeps at least 200000 URLs with a value of sid')
  })

  it('is in none of the URLs, or in none of those that were looked at', async () => {
    const small = await told(rowsOf(3_000, (id) => `https://shop.test/${id}`))
    const large = await told(rowsOf(300_000, (id) => `https://shop.test/${id}`))

    expect(small).toBeUndefined()
    expect(large).toContain('the first 200000 URLs of the store have no value of sid')
  })
})
