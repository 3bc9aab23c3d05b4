// Who is given back when there are more hosts than the window holds.
import type { Fingerprint } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { leaversOf, surplusOf, type Leave } from '../../src/scheduler/give-back.ts'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost } from '../../src/hosts/live-host.ts'

const NOW = 1_000_000
const REQUEST = {
  id: 1,
  fingerprint: '1' as Fingerprint,
  handler: 'start',
  depth: 0,
  priority: 0,
  attempts: 0,
  freeAttempts: 0,
}

/** A held host that joined when the scheduler stood at 0. */
function host(key: string, numbers: { usedMs?: number; heldMs?: number; restMs?: number } = {}): LiveHost {
  const { usedMs = 0, heldMs = 10_000, restMs = 0 } = numbers
  const made = new LiveHost(
    { hostKey: key, epoch: 1, memory: {}, requests: [], waiting: 1 },
    { order: 0, core: freshCoreMemory(), options: {}, memory: [], virtualTime: 0, leasedAt: NOW - heldMs },
  )
  made.queue.add({ ...REQUEST, hostKey: key, url: `http://${key}/` }, NOW)
  made.virtualTime = usedMs
  made.constraint = { readyAt: NOW + restMs, atMost: 1, pacedRps: Infinity, hold: undefined, required: undefined }
  return made
}

function leavers(hosts: readonly LiveHost[], wish: Partial<Leave> = {}): string[] {
  const leave = { count: 2, now: NOW, virtualTime: 100, slotsFree: false, unpaid: true, ...wish }
  return leaversOf(hosts, leave).map(({ key }) => key)
}

describe('while slots are full', () => {
  it('those go first that rest after they were asked', () => {
    const hosts = [host('busiest', { usedMs: 900 }), host('resting', { usedMs: 1, restMs: 5_000 })]

    expect(leavers(hosts, { count: 1 })).toEqual(['resting'])
  })

  it('those that used the most slot time go next, most first', () => {
    const hosts = [host('little', { usedMs: 200 }), host('most', { usedMs: 900 }), host('much', { usedMs: 500 })]

    expect(leavers(hosts)).toEqual(['most', 'much'])
  })

  it('a host that is behind never goes, however few others there are', () => {
    const hosts = [host('behind', { usedMs: 99 }), host('level', { usedMs: 100 }), host('ahead', { usedMs: 101 })]

    expect(leavers(hosts)).toEqual(['ahead'])
  })

  it('a host that was held for less than 2 s does not go', () => {
    const hosts = [host('new', { usedMs: 900, heldMs: 1_999 }), host('old', { usedMs: 500, heldMs: 2_000 })]

    expect(leavers(hosts)).toEqual(['old'])
  })

  it('nobody goes but those that rest after they were asked, when the others had their turn a moment ago', () => {
    const hosts = [host('busiest', { usedMs: 900 }), host('resting', { usedMs: 1, restMs: 5_000 })]

    expect(leavers(hosts, { unpaid: false })).toEqual(['resting'])
  })
})

describe('at any rate', () => {
  it('nobody goes that was not asked yet', () => {
    expect(leavers([host('unasked', { restMs: 5_000 })], { unpaid: false })).toEqual([])
  })

  it('no more go than there are too many', () => {
    const hosts = [1, 2, 3].map((n) => host(String(n), { usedMs: 1, restMs: n * 1_000 }))

    expect(leavers(hosts, { unpaid: false })).toEqual(['3', '2'])
  })
})

describe('while slots are free', () => {
  it('those go that rest, also unasked, and nobody that could be asked', () => {
    const hosts = [host('ready', { usedMs: 900 }), host('closed', { restMs: 60_000 })]

    expect(leavers(hosts, { slotsFree: true })).toEqual(['closed'])
  })

  it('a rest of a tenth of a second is not worth a lease', () => {
    const hosts = [host('short', { restMs: 100 }), host('longer', { restMs: 101 })]

    expect(leavers(hosts, { slotsFree: true })).toEqual(['longer'])
  })
})

describe('a host that rests while slots are free', () => {
  it('is given back once', () => {
    expect(leavers([host('resting', { usedMs: 1, restMs: 5_000 })], { slotsFree: true })).toEqual(['resting'])
  })

  it('is not given back with an exchange that is not committed', () => {
    const busy = host('busy', { usedMs: 1, restMs: 5_000 })
    busy.unsettled = 1

    expect(leavers([busy], { slotsFree: true })).toEqual([])
  })
})

describe('for another process', () => {
  it('those go first that rest longest', () => {
    const hosts = [host('ready'), host('resting', { restMs: 60_000 }), host('pausing', { restMs: 1_000 })]

    expect(surplusOf(hosts, 2).map(({ key }) => key)).toEqual(['resting', 'pausing'])
  })

  it('those that are on their way out do not count', () => {
    const leaving = host('leaving', { restMs: 60_000 })
    leaving.leaving = true

    expect(surplusOf([leaving, host('ready')], 2).map(({ key }) => key)).toEqual(['ready'])
  })

  it('those that are given up do not count', () => {
    const retiring = host('retiring', { restMs: 60_000 })
    retiring.retiring = { reason: 'never answered', probeAt: Infinity }

    expect(surplusOf([retiring, host('ready')], 2).map(({ key }) => key)).toEqual(['ready'])
  })

  it('those with work in progress go last', () => {
    const busy = host('busy', { usedMs: 900 })
    busy.unsettled = 1

    expect(surplusOf([busy, host('idle')], 1).map(({ key }) => key)).toEqual(['idle'])
  })
})
