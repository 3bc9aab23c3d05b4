// The index of hosts: a store of 100,000 is read a page at a time, and searched, sorted and filtered without being read again.
import { describe, expect, it } from 'vitest'
import type { HostRecord } from '@avocet/core/store'
import type { CrawlAtRest } from '@avocet/at-rest'
import { VirtualClock } from '@avocet/simulator'
import { HostIndex } from '../../src/store/host-index.ts'

function record(n: number, rest: Partial<HostRecord> = {}): HostRecord {
  const hostKey = `host-${String(n).padStart(6, '0')}.example`
  return { hostKey, waiting: 1, done: n, moved: 0, failed: 0, retried: 0, readyAt: 0, held: false, memory: {}, ...rest }
}

/** Hosts by key, read as a store is, and how often. */
class Hosts {
  reads = 0
  all: readonly HostRecord[]

  constructor(all: readonly HostRecord[]) {
    this.all = all
  }

  async hosts({
    afterHostKey = '',
    limit,
  }: {
    readonly afterHostKey?: string
    readonly limit: number
  }): Promise<readonly HostRecord[]> {
    this.reads++
    return this.all.filter(({ hostKey }) => hostKey > afterHostKey).slice(0, limit)
  }
}

/** Hosts that were given up are unreachable. */
const judging =
  async (): Promise<CrawlAtRest['judge']> =>
  ({ retiredFor }) =>
    retiredFor === undefined ? { condition: 'fine', why: '' } : { condition: 'unreachable', why: retiredFor }

const ALL = { search: '', sort: 'name', state: 'all' } as const

describe('the index of hosts', () => {
  it('reads one page a turn beside a crawl, until it has all', async () => {
    const clock = new VirtualClock()
    const hosts = new Hosts(Array.from({ length: 1_200 }, (_, n) => record(n)))
    const index = new HostIndex({ reader: hosts, clock, judging, budgetMs: 0 })
    const sizes: number[] = []
    for (let turn = 0; turn < 5; turn++) {
      await index.read()
      sizes.push(index.size)
    }

    expect(sizes).toEqual([500, 1_000, 1_200, 1_200, 1_200])
    expect([hosts.reads, index.isComplete]).toEqual([3, true])
  })

  it('searches, sorts and filters', async () => {
    const clock = new VirtualClock()
    const now = clock.now()
    const hosts = new Hosts([
      record(1, { waiting: 0 }),
      record(2, { failed: 3, retiredFor: 'dns-not-found' }),
      record(3, { readyAt: now + 60_000 }),
      record(4, { held: true, waiting: 9 }),
      record(5),
    ])
    const index = new HostIndex({ reader: hosts, clock, judging, budgetMs: 0 })
    await index.read()
    const numbers = (wish: Partial<Parameters<HostIndex['wanted']>[0]>): readonly number[] =>
      index.wanted({ ...ALL, ...wish }).map(({ hostKey }) => Number(hostKey.slice(5, 11)))

    expect(numbers({})).toEqual([1, 2, 3, 4, 5])
    expect(numbers({ sort: 'trouble' })).toEqual([2, 4, 3, 5, 1])
    expect(numbers({ sort: 'waiting' })).toEqual([4, 2, 3, 5, 1])
    expect(numbers({ search: '00003' })).toEqual([3])
    const states = (['unreachable', 'fine'] as const).map((state) => numbers({ state }))
    expect(states).toEqual([[2], [1, 3, 4, 5]])
  })

  it('sees what changed, what came and what went when it comes round again', async () => {
    const clock = new VirtualClock()
    const hosts = new Hosts([record(1), record(2)])
    const index = new HostIndex({ reader: hosts, clock, judging, budgetMs: 0 })
    await index.read()
    hosts.all = [record(2, { waiting: 8 }), record(3)]
    await clock.run(async () => {
      await new Promise<void>((done) => clock.at(clock.now() + 2_000, done))
    })
    await index.read()

    expect(index.wanted(ALL).map(({ hostKey, waiting }) => [hostKey, waiting])).toEqual([
      ['host-000002.example', 8],
      ['host-000003.example', 1],
    ])
  })
})
