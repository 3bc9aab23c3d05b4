// A store of one's own, which may be a class, is whole also where its commits are timed.
import { memoryFrontier } from 'avocet'
import type { CommitResult, Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { CrawlMetrics } from '../src/crawl-metrics.ts'
import { NO_STATUS } from './no-run.ts'

class OwnStore {
  readonly reader = memoryFrontier().reader
  #commits = 0
  async commit(): Promise<readonly CommitResult[]> {
    this.#commits++
    return []
  }
  async close(): Promise<number> {
    return this.#commits
  }
}

describe('a store whose commits are timed', () => {
  it('has all its methods, also where it is a class', async () => {
    using metrics = new CrawlMetrics(new VirtualClock())
    const timed = metrics.timed(new OwnStore() as unknown as Frontier)

    expect(await timed.reader.items({ limit: 1 })).toEqual([])
    expect(await timed.commit([])).toEqual([])
    expect(await timed.close()).toBe(1)
    expect(metrics.shown(NO_STATUS).counted('commit 0')).toBe(1)
  })
})
