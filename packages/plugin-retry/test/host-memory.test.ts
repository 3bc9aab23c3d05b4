// What is remembered of a host: nothing while all is well.
import { describe, expect, it } from 'vitest'
import { BLOCKED, classOfStatus, DOUBTFUL } from '../src/classify.ts'
import { noteFailing, noteRetry, noteWell, type RetryMemory } from '../src/retry.ts'

describe('the memory of a host', () => {
  it('is empty while it answers', () => {
    const host: RetryMemory = {}
    noteWell(host)
    expect(host).toEqual({})
  })

  it('keeps failing pages until the host answers, and a budget until it is full again', () => {
    const host: RetryMemory = { budget: { tokens: 9.8 } }

    const noted = [7, 7, 8, 9, 10].map((id, n) => noteFailing(host, { ...BLOCKED, name: 'server' }, { id, now: 1_000 + n }))
    expect(noted.map(({ failingPages, downMs }) => [failingPages, downMs])).toEqual([
      [1, 0],
      [1, 1],
      [2, 2],
      [3, 3],
      [3, 4],
    ])
    noteWell(host)
    expect(host).toEqual({ budget: { tokens: 9.9 } })

    noteWell(host)
    expect(host).toEqual({})
  })

  it('counts neither refusals nor bans among failing pages', () => {
    const host: RetryMemory = {}
    for (const retryClass of [BLOCKED, DOUBTFUL, classOfStatus(429) ?? expect.fail('a class')]) {
      noteFailing(host, retryClass, { id: 1, now: 1_000 })
      noteRetry(host, { retryClass, counted: true, now: 1_000 })
    }
    expect(host).toEqual({ retries: 3 })
  })
})
