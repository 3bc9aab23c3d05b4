// When a process takes another one for dead: by its own monotonic clock alone.
import { thisProcess } from '@avocet/store-sql'
import { describe, expect, it } from 'vitest'
import { LIFETIMES } from '../src/process/held-time.ts'
import { Peers, type PeerRow } from '../src/process/peers.ts'

const OWN = 1
/** Of another machine, so that only its beat tells. */
const far = (beat: number): PeerRow => [2, beat, 'another boot', '', 7, 0, 'then', 'token of the other', 'far']

describe('peers', () => {
  it('are dead whose beat was the same for 30 s of this process’s own time', () => {
    const peers = new Peers(LIFETIMES)
    const dead = [0, 10_000, 20_000, 29_999, 30_000].map((at) => peers.answered([far(4)], OWN, { sentAt: at, at }).length)

    expect(dead).toEqual([0, 0, 0, 0, 1])
  })

  it.each([
    ['of another Mac', { boot: '', namespace: '', started: '' }, {}],
    ['of a machine without boot ids', { boot: '' }, {}],
    ['whose start time is not known', { started: '' }, {}],
    ['of another machine', {}, { boot: 'another' }],
    ['in another container', {}, { namespace: 'another' }],
  ])('%s are not dead because this process has the same pid', (_which, own, other) => {
    const me = { ...thisProcess(), ...own }
    const { boot, namespace, pid, thread, started } = { ...me, ...other }
    const row: PeerRow = [2, 4, boot, namespace, pid, thread, started, 'token of the other', 'near']

    expect(new Peers(LIFETIMES, me).answered([row], OWN, { sentAt: 0, at: 0 })).toEqual([])
  })

  it.runIf(thisProcess().started !== '')('are dead that were in this very thread, and were not closed', () => {
    const { boot, namespace, pid, thread, started } = thisProcess()
    const row: PeerRow = [2, 4, boot, namespace, pid, thread, started, 'token of the other', 'here']

    expect(new Peers(LIFETIMES).answered([row], OWN, { sentAt: 0, at: 0 })).toHaveLength(1)
  })

  it('are alive while their beat changes', () => {
    const peers = new Peers(LIFETIMES)
    const dead = [0, 15_000, 30_000, 45_000].map((at, n) => peers.answered([far(n)], OWN, { sentAt: at, at }).length)

    expect(dead).toEqual([0, 0, 0, 0])
  })

  it('are counted from the answer that showed their beat, for it may have been raised while that was on its way', () => {
    const peers = new Peers(LIFETIMES)
    peers.answered([far(4)], OWN, { sentAt: 0, at: 14_000 })
    const dead = [
      peers.answered([far(4)], OWN, { sentAt: 30_000, at: 30_001 }),
      peers.answered([far(4)], OWN, { sentAt: 43_999, at: 45_000 }),
      peers.answered([far(4)], OWN, { sentAt: 44_000, at: 44_001 }),
    ]

    expect(dead.map(({ length }) => length)).toEqual([0, 0, 1])
  })
})
