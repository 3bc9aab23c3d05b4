// Plugins' memory at rest: restored as it was, written when it changed, and refused when it would not survive.
import { definePlugin, type Plugin } from '@avocet/core'
import type { MemoryParts, HostLease } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { Memories } from '../src/hosts/memories.ts'
import { LiveHost } from '../src/hosts/live-host.ts'

const rate = (version = 1): Plugin =>
  definePlugin<{ perSecond: number }, { hosts: number }>({
    name: 'rate',
    version,
    hostMemory: () => ({ perSecond: 1 }),
    crawlMemory: () => ({ hosts: 0 }),
    merge: (a, b) => ({ hosts: a.hosts + b.hosts }),
  })

function opened(plugin: Plugin, crawlMemories: readonly MemoryParts[] = []): { memories: Memories; problems: string[] } {
  const problems: string[] = []
  const memories = new Memories([plugin], {
    broken: ({ code, message }) => problems.push(`the crawl ends: ${code} ${message}`),
    pluginError: (message) => problems.push(message),
  })
  memories.openCrawl(crawlMemories)
  return { memories, problems }
}

function hostOf(memories: Memories, memory: MemoryParts = {}): LiveHost {
  const lease: HostLease = { hostKey: 'shop.test', epoch: 1, memory, requests: [], waiting: 0 }
  return new LiveHost(lease, { order: 0, options: {}, virtualTime: 0, leasedAt: 0, ...memories.restoreHost(memory, 0) })
}

describe('memory of a host', () => {
  it('is fresh for a host that was never met, and as it was left otherwise', () => {
    const { memories } = opened(rate())

    expect(hostOf(memories).memory).toEqual([{ perSecond: 1 }])
    expect(hostOf(memories, { rate: '[1,{"perSecond":4}]' }).memory).toEqual([{ perSecond: 4 }])
  })

  it('of a clock that was ahead has the row of forbidden answers moved back: a ban is a ban still, once a minute of it is over', () => {
    const { memories } = opened(rate())
    const today = 1_767_225_600_000
    const tomorrow = today + 86_400_000
    const forbidden = { inRow: 3, firstSeq: 4, firstAt: tomorrow, longestPrivate: 0 }
    const core = JSON.stringify([1, { lastStartAt: tomorrow + 500, lastEndAt: tomorrow + 1_000, forbidden }])

    const restored = memories.restoreHost({ core }, today + 1_000)

    expect(restored.core.forbidden).toEqual({ ...forbidden, firstAt: today })
  })

  it('of a clock that was ahead has the moment of its last request moved back, from which delays count', () => {
    const { memories } = opened(rate())
    const today = 1_767_225_600_000
    const tomorrow = today + 86_400_000
    const core = JSON.stringify([1, { lastStartAt: tomorrow, lastSentAt: tomorrow + 400, lastEndAt: tomorrow }])

    expect(memories.restoreHost({ core }, today + 400).core).toMatchObject({ lastStartAt: today, lastSentAt: today + 400 })
  })

  it('is written when it changed, and only then', () => {
    const { memories } = opened(rate())
    const host = hostOf(memories)
    expect(Object.keys(memories.changedHost(host) ?? {})).toEqual(['core', 'rate'])
    expect(memories.changedHost(host)).toBeUndefined()

    Object.assign(host.memory[0] as object, { perSecond: 2 })

    expect(memories.changedHost(host)).toEqual({ rate: '[1,{"perSecond":2}]' })
  })

  it('has the texts that are made when its host is given back, and not before; one that throws costs that text alone', () => {
    const { memories, problems } = opened(rate())
    const host = hostOf(memories)
    memories.changedHost(host)
    host.keepBlob('rate-log', () => 'all of it')
    host.keepBlob('rate-none', () => undefined)
    host.keepBlob('rate-broken', () => {
      throw new Error('no room')
    })

    expect(memories.changedHost(host)).toBeUndefined()
    expect(memories.changedHost(host, true)).toEqual({ '#rate-log': 'all of it' })
    expect(problems).toEqual([expect.stringContaining('no room')])
  })

  describe('that a clock wrote which was a year ahead', () => {
    const HOUR = 3_600_000
    const YEAR = 365 * 24 * HOUR
    const RIGHT = 1_767_225_600_000
    const pause = definePlugin<{ until: number }>({
      name: 'pause',
      hostMemory: () => ({ until: 0 }),
    })
    const parts = (writtenAt: number): MemoryParts => ({
      core: JSON.stringify([1, { seq: 1, lastStartAt: writtenAt, lastEndAt: writtenAt, answered: true }]),
      pause: JSON.stringify([1, { until: writtenAt + 30 * HOUR, hosts: [{ until: writtenAt, pages: 12 }] }]),
    })

    it('is moved back, as deep as its moments are, so that what was left of each wait is left now', () => {
      const { memories } = opened(pause)
      const restored = memories.restoreHost(parts(RIGHT + YEAR), RIGHT)

      expect(restored.memory).toEqual([{ until: RIGHT + 30 * HOUR, hosts: [{ until: RIGHT, pages: 12 }] }])
      expect(restored.core.lastEndAt).toBe(RIGHT)
    })

    it('stays as it is when it was written before that', () => {
      const { memories } = opened(pause)
      expect(memories.restoreHost(parts(RIGHT - HOUR), RIGHT).memory).toMatchObject([{ until: RIGHT + 29 * HOUR }])
    })

    it('leaves what is no moment, and the last order that was carried out, as they are', () => {
      const { memories } = opened(definePlugin({ name: 'counts', hostMemory: () => ({}) }))
      const counts = {
        never: 0,
        pages: 999_999_999_999,
        hash: 9_007_199_254_740_991,
        endless: 253_402_300_799_999,
        text: '1767225600000',
      }
      const core = { seq: 1, lastStartAt: RIGHT + YEAR, lastEndAt: 0, forgottenAt: RIGHT - HOUR }
      const restored = memories.restoreHost({ core: JSON.stringify([1, core]), counts: JSON.stringify([1, counts]) }, RIGHT)

      expect(restored.memory).toEqual([counts])
      expect(restored.core).toMatchObject({ lastStartAt: RIGHT, lastEndAt: 0, forgottenAt: RIGHT - HOUR })
    })
  })

  it('is written again when the commit that carried it failed', () => {
    const { memories } = opened(rate())
    const host = hostOf(memories)
    host.keepBlob('rules', 'be kind')
    const parts = memories.changedHost(host) ?? {}

    memories.notWritten(host, { memory: parts })

    expect(memories.changedHost(host)).toEqual(parts)
  })

  it.each([
    { what: 'NaN', value: Number.NaN, says: 'memory.perSecond is NaN, and JSON has no such number' },
    { what: 'Infinity', value: Infinity, says: 'memory.perSecond is Infinity' },
    { what: 'more than 64 KiB', value: 'x'.repeat(70_000), says: 'the crawl ends: AVO_PLUGIN_INVALID expected at most 65536' },
    { what: 'a BigInt', value: 1n, says: 'not JSON' },
    { what: 'a Date', value: new Date(0), says: 'memory.perSecond is a Date' },
    { what: 'a Map', value: new Map([[1, 2]]), says: 'memory.perSecond is a Map' },
    { what: 'an instance of a class', value: new URL('http://a.test/'), says: 'memory.perSecond is a URL' },
  ])('that holds $what is not saved, and the problem says so', ({ value, says }) => {
    const { memories, problems } = opened(rate())
    const host = hostOf(memories)
    Object.assign(host.memory[0] as object, { perSecond: value })

    expect(memories.changedHost(host)).not.toHaveProperty('rate')
    expect(problems.join()).toContain(says)
  })

  it('of core itself has no cap: hosts that joined the scope by redirects may be thousands', () => {
    const { memories, problems } = opened(rate())
    memories.core.scopeHosts = Array.from({ length: 5_000 }, (_, n) => `www.shop-${String(n)}.test`)

    expect(memories.changedCrawl()?.['core']?.length).toBeGreaterThan(64 * 1024)
    expect(problems).toEqual([])
  })

  it('of another version starts fresh', () => {
    const old = { rate: '[1,{"delayMs":250}]' }
    expect(hostOf(opened(rate(2)).memories, old).memory).toEqual([{ perSecond: 1 }])
  })

  it('keeps blobs beside it, read back by name, deleted by undefined', () => {
    const { memories } = opened(rate())
    const host = hostOf(memories, { '#robots:/': 'Disallow: /old' })
    expect(host.blob('robots:/')).toBe('Disallow: /old')

    host.keepBlob('robots:/', 'Disallow: /')

    expect(host.blob('robots:/')).toBe('Disallow: /')
    expect(memories.changedHost(host)).toMatchObject({ '#robots:/': 'Disallow: /' })
    expect(host.blob('robots:/')).toBe('Disallow: /')
  })

  it('refuses a blob of more than 512 KiB where it is kept', () => {
    const host = hostOf(opened(rate()).memories)

    expect(() => host.keepBlob('seen', 'x'.repeat(524_289))).toThrow('at most 524288 characters')
  })
})

describe('memory of a crawl', () => {
  it('is what all processes left, joined by the plugin', () => {
    const { memories } = opened(rate(), [{ rate: '[1,{"hosts":2}]' }, { rate: '[1,{"hosts":3}]' }])

    expect(memories.crawl).toEqual([{ hosts: 5 }])
  })

  it('is joined while it has room in one part: what is too much is left out, and the crawl goes on', () => {
    const lists = definePlugin<undefined, { of: string[] }>({
      name: 'lists',
      crawlMemory: () => ({ of: [] }),
      merge: (a, b) => ({ of: Object.assign(a, { of: [...a.of, ...b.of] }).of }),
    })
    const left = (name: string, characters: number): MemoryParts => ({
      lists: JSON.stringify([1, { of: [name.repeat(characters)] }]),
    })
    const { memories, problems } = opened(lists, [left('a', 40_000), left('b', 40_000), left('c', 10_000), left('d', 40_000)])

    expect(memories.crawl).toEqual([{ of: ['a'.repeat(40_000), 'c'.repeat(10_000)] }])
    expect(new Set(problems)).toEqual(new Set([expect.stringContaining('of plugin lists that several processes left')]))
    expect(Object.keys(memories.changedCrawl() ?? {})).toEqual(['lists'])
  })

  it('of one process alone is restored whatever its size', () => {
    const large = { hosts: 1, kept: 'x'.repeat(65_000) }
    const { memories, problems } = opened(rate(), [{ rate: JSON.stringify([1, large]) }])

    expect(memories.crawl).toEqual([large])
    expect(problems).toEqual([])
  })

  it('is written again when the unit that carried it was refused', () => {
    const { memories } = opened(rate())
    const crawlMemory = memories.changedCrawl() ?? {}
    expect(memories.changedCrawl()).toBeUndefined()

    memories.notWritten(hostOf(memories), { crawlMemory })

    expect(memories.changedCrawl()).toEqual(crawlMemory)
  })
})
