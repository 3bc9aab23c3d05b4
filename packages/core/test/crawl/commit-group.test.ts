// Units on their way to the frontier: when a group closes, what is in it, and what memory rides on it.
import { definePlugin, memoryFrontier } from 'avocet'
import type { CommitResult, CommitUnit, Fingerprint, NewRequest } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { sleepUntil, type Clock } from '../../src/ports/clock.ts'
import { createHooks } from '../../src/hooks/hooks.ts'
import type { Unit } from '../../src/ports/unit.ts'
import { AvocetError } from '../../src/values/errors.ts'
import { requestOf as toRequest } from '../../src/hosts/request-of.ts'
import { Commits } from '../../src/run/commits.ts'
import { memoryOnly } from '../../src/run/pending-unit.ts'
import { LoopBudget } from '../../src/process/loop-budget.ts'
import type { Run } from '../../src/run/run.ts'
import { Pause } from '../../src/run/pause.ts'
import { StoreCalls } from '../../src/run/store-calls.ts'
import { Memories } from '../../src/hosts/memories.ts'
import { LiveHost } from '../../src/hosts/live-host.ts'

/** A group over a store that takes some time, and what came of it. */
class Ground {
  readonly clock = new VirtualClock()
  readonly startedAt = this.clock.now()
  readonly groups: { readonly atMs: number; readonly units: readonly CommitUnit[] }[] = []
  readonly told: string[] = []
  readonly hooks = createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} })
  readonly memories: Memories
  readonly group: Commits
  status: CommitResult['status'] = 'committed'
  /** Answers of the store wait for these. */
  answers: (() => void)[] | undefined
  error: Error | undefined

  /** `holds`: how virtual time is held during calls, if not as always. */
  constructor(holds: Partial<Pick<Clock, 'hold'>> = {}) {
    const counts = { hostMemory: () => ({ n: 0 }), crawlMemory: () => ({ n: 0 }), merge: (a: { n: number }) => a }
    this.memories = new Memories([definePlugin<{ n: number }, { n: number }>({ name: 'count', ...counts })], {
      broken: () => {},
      pluginError: () => {},
    })
    this.memories.openCrawl([])
    const commit = async (units: readonly CommitUnit[]): Promise<readonly CommitResult[]> => {
      this.groups.push({ atMs: this.clock.now() - this.startedAt, units })
      await new Promise<void>((answer) => (this.answers === undefined ? answer() : this.answers.push(answer)))
      if (this.error !== undefined) throw this.error
      return units.map(() => ({ status: this.status, gained: [], added: 0, known: 0 }))
    }
    const pause = new Pause(this.clock, () => {})
    const parts = {
      settings: {
        frontier: { ...memoryFrontier(), commit },
        clock: this.clock,
        loop: new LoopBudget(this.clock),
        spider: { handlers: {} },
        documents: new Map(),
      },
      calls: new StoreCalls({ clock: this.#clockOfCalls(holds), pause, patienceMs: Infinity, problem: () => {} }),
      hooks: this.hooks,
      memories: this.memories,
      sinks: { committed: () => {} },
      goOn: () => void this.told.push('done'),
      fail: (error: unknown) => void this.told.push(String(error)),
    }
    this.group = new Commits(parts as unknown as Run, (_unit, { status }) => this.told.push(status))
  }

  #clockOfCalls(holds: Partial<Pick<Clock, 'hold'>>): Clock {
    const { clock } = this
    const hold: Clock['hold'] = (name) => clock.hold(name)
    return { now: () => clock.now(), monotonic: () => clock.monotonic(), at: (at, wake) => clock.at(at, wake), hold, ...holds }
  }

  host(key: string): LiveHost {
    const visit = { hostKey: key, epoch: 1, memory: {}, requests: [], waiting: 0 }
    return new LiveHost(visit, { order: 0, options: {}, virtualTime: 0, leasedAt: 0, ...this.memories.restoreHost({}, 0) })
  }

  wait(ms: number): Promise<void> {
    return this.clock.run(() => sleepUntil(this.clock, this.clock.now() + ms))
  }

  get sizes(): number[] {
    return this.groups.map(({ units }) => units.length)
  }
}

/** Time goes on during calls. */
const NO_HOLDS: Pick<Clock, 'hold'> = { hold: () => ({ [Symbol.dispose]: () => {} }) }

function requestOf(url: string): NewRequest {
  return { url, fingerprint: '0123456789abcdef' as Fingerprint, hostKey: 'a', handler: 'start', depth: 0, priority: 0 }
}

/** What the store was asked for has been asked, and what it said was heard. */
const settled = (): Promise<void> => new Promise((next) => setImmediate(next))

describe('a group', () => {
  it('closes 20 ms after its first unit', async () => {
    const ground = new Ground()
    const host = ground.host('a')
    ground.group.add(memoryOnly(host))
    await ground.wait(10)
    ground.group.add(memoryOnly(host))
    expect(ground.sizes).toEqual([])

    await ground.wait(30)
    expect(ground.groups.map(({ atMs, units }) => [atMs, units.length])).toEqual([[20, 2]])
  })

  it('waits 20 times as long as the one before it took, at most 50 ms', async () => {
    const ground = new Ground(NO_HOLDS)
    const answers: (() => void)[] = (ground.answers = [])
    const host = ground.host('a')
    for (const [tookMs, waitsMs] of [
      [2, 20],
      [0, 40],
      [9, 20],
      [0, 50],
    ] as const) {
      const addedAtMs = ground.clock.now() - ground.startedAt
      ground.group.add(memoryOnly(host))
      await ground.wait(waitsMs)
      await settled()
      expect(ground.groups.at(-1)?.atMs).toBe(addedAtMs + waitsMs)
      await ground.wait(tookMs)
      answers.shift()?.()
      await settled()
    }
  })

  it('closes at 256 units, and when it is told to', async () => {
    const ground = new Ground()
    const host = ground.host('a')
    for (let n = 0; n < 257; n++) ground.group.add(memoryOnly(host))
    await settled()
    expect(ground.sizes[0]).toBe(256)

    const told = new Ground()
    told.group.add(memoryOnly(host))
    told.group.flush()
    await settled()
    expect(told.sizes).toEqual([1])
  })

  it('has its 20 ms also while the one before it is being committed, and after that', async () => {
    const ground = new Ground()
    const answers: (() => void)[] = (ground.answers = [])
    const host = ground.host('a')
    ground.group.add(memoryOnly(host))
    ground.group.flush()
    ground.group.add(memoryOnly(host))
    await settled()
    answers.shift()?.()
    await settled()
    expect(ground.sizes).toEqual([1])

    await ground.wait(20)
    expect(ground.sizes).toEqual([1, 1])
  })

  it('is one too many at 1,024 units that wait for the store, until it has answered', async () => {
    const ground = new Ground()
    const answers: (() => void)[] = (ground.answers = [])
    const host = ground.host('a')
    for (let n = 0; n < 1_023; n++) ground.group.add(memoryOnly(host))
    expect(ground.group.isFull).toBe(false)
    ground.group.add(memoryOnly(host))
    expect(ground.group.isFull).toBe(true)

    await settled()
    answers[0]?.()
    await settled()
    expect(ground.group.isFull).toBe(false)
  })

  it('keeps anything more from being requested while the store has not answered for more than 3 s', async () => {
    const ground = new Ground(NO_HOLDS)
    ground.answers = []
    ground.group.add(memoryOnly(ground.host('a')))
    await ground.wait(3_020)
    const after3s = ground.group.isFull
    await ground.wait(1)
    const later = ground.group.isFull
    ground.answers[0]?.()
    await settled()

    expect([after3s, later, ground.group.isFull]).toEqual([false, true, false])
  })

  it('is committed after the one before it, with all that came meanwhile', async () => {
    const ground = new Ground()
    const answers: (() => void)[] = (ground.answers = [])
    const host = ground.host('a')
    const add = (): void => {
      ground.group.add(memoryOnly(host))
      ground.group.flush()
    }
    for (let n = 0; n < 3; n++) add()
    await settled()
    expect([ground.sizes, ground.group.pending]).toEqual([[1], 3])

    answers.shift()?.()
    await settled()
    expect([ground.sizes, ground.group.pending]).toEqual([[1, 2], 2])
    answers.shift()?.()
    await settled()
    expect([ground.group.pending, ground.told]).toEqual([0, ['committed', 'done', 'committed', 'committed', 'done']])
  })

  it('has all that came while the store took its time, a thousand rows at most', async () => {
    const ground = new Ground()
    const answers: (() => void)[] = (ground.answers = [])
    const host = ground.host('a')
    const links = [requestOf('http://a/1'), requestOf('http://a/2')]
    for (let n = 0; n < 200 + 333; n++) ground.group.add({ ...memoryOnly(host), links })
    for (let n = 0; n < 3; n++) {
      await settled()
      answers[n]?.()
    }

    expect(ground.sizes).toEqual([200, 200, 133])
  })

  it('has the links and items of its units', async () => {
    const ground = new Ground()
    const links = [requestOf('http://a/1')]
    ground.group.add({ ...memoryOnly(ground.host('a')), links, items: [{ json: '1' }] })
    ground.group.flush()
    await settled()

    expect(ground.groups[0]?.units).toMatchObject([{ links, items: [{ json: '1' }] }])
  })

  it('of links that are written ahead is repeated as it was: that is how a store knows it', async () => {
    const ground = new Ground()
    ground.error = new AvocetError('AVO_FRONTIER_AWAY', 'expected an answer, got none')
    const links = Array.from({ length: 1_500 }, (_, n) => requestOf(`http://a/${n}`))
    ground.group.add({ ...memoryOnly(ground.host('a')), links })
    ground.group.flush()
    await settled()
    ground.error = undefined
    await ground.wait(1_500)

    expect(ground.groups.map(({ units }) => units[0]?.links.length)).toEqual([1_000, 1_000, 500])
    expect(ground.groups[1]?.units).toBe(ground.groups[0]?.units)
  })

  it('that fails is reported, and nothing is committed after it', async () => {
    const ground = new Ground()
    ground.error = new Error('the store is damaged')
    const host = ground.host('a')
    ground.group.add(memoryOnly(host))
    ground.group.flush()
    await settled()
    ground.group.add(memoryOnly(host))
    ground.group.flush()
    await settled()

    expect(ground.sizes).toEqual([1])
    expect(ground.told).toContain('Error: the store is damaged')
  })
})

describe('memory', () => {
  it('rides on the last unit of its host, that of the crawl on the last of all', async () => {
    const ground = new Ground()
    const [a, b] = [ground.host('a'), ground.host('b')]
    ground.memories.crawl.forEach((part) => Object.assign(part as object, { n: 7 }))
    for (const host of [a, b, a, b]) {
      host.memory.forEach((part) => Object.assign(part as object, { n: 5 }))
      ground.group.add(memoryOnly(host))
    }
    ground.group.flush()
    await settled()

    const units = ground.groups[0]?.units ?? []
    expect(units.map(({ memory }) => memory !== undefined && 'count' in memory)).toEqual([false, false, true, true])
    expect(units.map(({ crawlMemory }) => crawlMemory !== undefined)).toEqual([false, false, false, true])
  })

  it('that was not written goes with the next unit', async () => {
    const ground = new Ground()
    const host = ground.host('a')
    ground.status = 'rejected'
    for (let n = 0; n < 2; n++) {
      host.memory.forEach((part) => Object.assign(part as object, { n: 5 }))
      ground.group.add(memoryOnly(host))
      ground.group.flush()
      await settled()
    }

    expect(ground.groups.map(({ units }) => units[0]?.memory?.['count'])).toEqual(['[1,{"n":5}]', '[1,{"n":5}]'])
  })

  it('tells plugins what a page had before it is written, and that it is taken back where the store refused it', async () => {
    const ground = new Ground()
    const host = ground.host('a')
    const units: Unit[] = []
    ground.hooks.onCommit.tap('test', (unit) => void units.push(unit))
    const leased = { ...requestOf('https://a/1'), id: 1, attempts: 0, freeAttempts: 0 }
    const outcome = { kind: 'done', fetched: { at: 0, status: 200, durationMs: 1, wireBytes: 1 } } as const
    const page = { ...memoryOnly(host), request: toRequest(leased), outcome, items: [{ json: '1' }, { json: '2' }] }
    const refusing = { ...page, refused: [['off-host', 'b', 3] as [string, string, number]] }
    for (const status of ['committed', 'rejected', 'fenced'] as const) {
      ground.status = status
      ground.group.add(refusing)
      ground.group.flush()
      await settled()
    }

    expect(units.map(({ times }) => times)).toEqual([1, 1, -1, 1, -1])
    expect(units[0]).toMatchObject({ host: { key: 'a' }, outcome, items: 2, dropped: 0, refused: [['off-host', 'b', 3]] })
  })
})
