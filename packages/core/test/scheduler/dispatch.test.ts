// What the scheduler does with hosts as their answers change: whom it asks, whom it serves, and whom it gives up.
import type { Request } from '@avocet/core'
import type { Fingerprint, Leased } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost, type Constraint, type Recallable } from '../../src/hosts/live-host.ts'
import { Scheduler, type Next } from '../../src/scheduler/scheduler.ts'
import { Slots } from '../../src/scheduler/slots.ts'

const FREE: Constraint = { readyAt: 0, atMost: Infinity, pacedRps: Infinity, hold: undefined, required: undefined }

function request(id: number, notBefore?: number): Leased & Request {
  const known = { id, fingerprint: String(id) as Fingerprint, hostKey: 'h', url: `http://h/${id}`, handler: 'start' }
  return {
    ...known,
    method: 'GET',
    headers: {},
    hops: 0,
    data: undefined,
    depth: 0,
    priority: 0,
    attempts: 0,
    freeAttempts: 0,
    ...(notBefore !== undefined && { notBefore }),
  }
}

/** A scheduler, and all that it did. Its hosts are held by what the test says of them. */
class Ground {
  now = 1_000
  readonly done: string[] = []
  readonly says = new Map<string, Partial<Constraint>>()
  readonly slots: Slots
  readonly scheduler: Scheduler

  constructor(slots = 10) {
    this.slots = new Slots(slots)
    this.scheduler = new Scheduler(this.slots, {
      admission: { ask: ({ key }) => ({ ...FREE, ...this.says.get(key) }) },
      retirements: { retire: ({ key }) => void this.done.push(`retire ${key}`) },
    })
  }

  host(key: string, requests: readonly Leased[], { virtualTime = 0, proven = true } = {}): LiveHost {
    const made = new LiveHost(
      { hostKey: key, epoch: 1, memory: {}, requests: [], waiting: 0 },
      { order: 0, core: { ...freshCoreMemory(), proven }, options: {}, memory: [], virtualTime, leasedAt: 0 },
    )
    for (const one of requests) made.queue.add(one, this.now)
    return made
  }

  /** Places the hosts and fills the slots; what was done. `none`: a slot is left, and nobody to give it to. */
  run(...hosts: readonly LiveHost[]): readonly string[] {
    this.done.length = 0
    for (const host of hosts) this.scheduler.place(host, this.now)
    return this.fill()
  }

  fill(): readonly string[] {
    this.scheduler.placeDue(this.now)
    while (this.slots.free > 0) {
      const next = this.scheduler.next(this.now)
      if (next === undefined) {
        this.done.push('none')
        break
      }
      if (next.kind === 'required') next.host.requiring = true
      if (next.kind !== 'later') this.#book(next.host, nameOf(next))
      this.scheduler.place(next.host, this.now)
    }
    return this.done
  }

  #book(host: LiveHost, what: string): void {
    this.done.push(what)
    this.slots.take(host.onProbation)
    host.exchanges.add(exchange(host, what, true))
  }
}

function nameOf(next: Exclude<Next, { kind: 'later' }>): string {
  return next.kind === 'request' ? `${next.host.key}${next.leased.id}` : next.document.url
}

function exchange(host: LiveHost, name: string, isSent: boolean, recalled: string[] = []): Recallable {
  const made = {
    isSent,
    recall() {
      recalled.push(name)
      host.exchanges.delete(one)
    },
    abort() {},
  }
  const one = made as unknown as Recallable
  return one
}

describe('a limit that fell', () => {
  const recalledAt = (atMost: number, sent: readonly boolean[]): string[] => {
    const ground = new Ground()
    const host = ground.host('a', [])
    const recalled: string[] = []
    for (const [n, isSent] of sent.entries()) host.exchanges.add(exchange(host, String(n), isSent, recalled))
    ground.says.set('a', { atMost })
    ground.scheduler.place(host, ground.now)
    return recalled
  }

  it('takes back what was booked last, and no more than it must', () => {
    expect(recalledAt(2, [false, false, false, false])).toEqual(['3', '2'])
  })

  it('takes back nothing that is on the wire', () => {
    expect(recalledAt(1, [false, true])).toEqual(['0'])
  })
})

describe('a host', () => {
  it('waits for the later of what plugins say and of its own requests', () => {
    const ground = new Ground()
    ground.says.set('a', { readyAt: 5_000 })
    ground.says.set('b', { readyAt: 3_000 })

    expect(ground.run(ground.host('a', [request(1)]))).toEqual(['none'])
    expect(ground.scheduler.nextReadyAt).toBe(5_000)
    ground.run(ground.host('b', [request(2, 4_000)]))
    expect(ground.scheduler.nextReadyAt).toBe(4_000)
  })

  it('waits for what becomes due in the store', () => {
    const ground = new Ground()
    const host = ground.host('a', [])
    host.storeDelayedAt = 7_000
    ground.run(host)

    expect(ground.scheduler.nextReadyAt).toBe(7_000)
  })

  it('is given up when it is held for ever and nothing of it is in flight', () => {
    const ground = new Ground()
    ground.says.set('a', { readyAt: Infinity })
    ground.says.set('full', { atMost: 0 })

    expect(ground.run(ground.host('a', [request(1)]), ground.host('full', [request(2)]))).toEqual([
      'retire a',
      'retire full',
      'none',
    ])
  })

  it('is not given up while something is in flight, or comes', () => {
    const ground = new Ground()
    ground.says.set('a', { readyAt: Infinity })
    const host = ground.host('a', [request(1)])
    host.exchanges.add(exchange(host, '0', true))
    ground.says.set('later', { atMost: 0, readyAt: 9_000 })

    expect(ground.run(host, ground.host('later', [request(2)]))).toEqual(['none'])
    expect(ground.scheduler.nextReadyAt).toBe(9_000)
  })

  it('with as many exchanges as it may have is not among the ready', () => {
    const ground = new Ground()
    const host = ground.host('a', [request(1)])
    host.exchanges.add(exchange(host, '0', true))
    ground.says.set('a', { atMost: 1 })
    ground.scheduler.place(host, ground.now)

    expect(ground.scheduler.ready).toBe(0)
  })

  it('is asked again when its turn comes: a moment that came since then holds it, and a limit that it has reached', () => {
    const ground = new Ground()
    const [waits, full] = [ground.host('waits', [request(1)]), ground.host('full', [request(2)])]
    ground.scheduler.place(waits, ground.now)
    ground.scheduler.place(full, ground.now)
    full.exchanges.add(exchange(full, '0', true))
    ground.says.set('waits', { readyAt: 2_000 })
    ground.says.set('full', { atMost: 1 })
    ground.done.length = 0
    ground.fill()

    expect(ground.done).toEqual(['none'])
    expect(ground.scheduler.nextReadyAt).toBe(2_000)
  })

  it.each<[string, (host: LiveHost) => void]>([
    ['is held no more', (host) => (host.live = false)],
    ['is to be given up', (host) => (host.retiring = { reason: '', probeAt: Infinity })],
    ['is leaving', (host) => (host.leaving = true)],
  ])('that %s is not served', (_what, happens) => {
    const ground = new Ground()
    const host = ground.host('a', [request(1)])
    happens(host)

    expect(ground.run(host)).toEqual(['none'])
  })
})

describe('slots', () => {
  it('are filled and no more', () => {
    const ground = new Ground(2)

    expect(
      ground.run(
        ground.host(
          'a',
          [1, 2, 3].map((id) => request(id)),
        ),
      ),
    ).toEqual(['a1', 'a2'])
  })

  it('go to hosts on probation up to their share while a proven host is ready, and beyond it when none is', () => {
    const ground = new Ground(16)
    const unproven = Array.from({ length: 10 }, (_, n) => ground.host(`new${n}-`, [request(1)], { proven: false }))
    const proven = ground.host(
      'old',
      [1, 2, 3].map((id) => request(id)),
      { virtualTime: 1 },
    )
    const done = ground.run(...unproven, proven)

    expect(done.slice(0, 7).map((what) => what.slice(0, 3))).toEqual(['new', 'new', 'new', 'new', 'old', 'old', 'old'])
    expect(done.filter((what) => what.startsWith('new'))).toHaveLength(8)
  })
})

describe('virtual time', () => {
  it('is that of the host that was served last, and never goes back', () => {
    const ground = new Ground()
    ground.run(ground.host('a', [request(1)], { virtualTime: 30 }))
    expect(ground.scheduler.virtualTime).toBe(30)

    ground.run(ground.host('b', [request(2)], { virtualTime: 20 }))
    expect(ground.scheduler.virtualTime).toBe(30)
  })
})

describe('documents', () => {
  const REQUIRED = { required: { url: 'robots', takers: new Map() } }

  it('that a plugin requires are fetched once, and only where there is something to ask for after them', () => {
    const ground = new Ground()
    ground.says.set('a', REQUIRED)
    ground.says.set('b', REQUIRED)
    const host = ground.host('a', [request(1)])

    expect(ground.run(host, ground.host('b', []))).toEqual(['robots', 'none'])
    expect(ground.run(host)).toEqual(['none'])
  })

  it('are not requested again where that began after the host was placed', () => {
    const ground = new Ground()
    ground.says.set('a', REQUIRED)
    const host = ground.host('a', [request(1)])
    ground.scheduler.place(host, ground.now)
    host.requiring = true
    ground.done.length = 0
    ground.fill()

    expect(ground.done).toEqual(['none'])
  })
})
