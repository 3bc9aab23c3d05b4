// Which processes count as alive, as the system of the one who asks has it.
import { thisProcess } from '@avocet/store-sql'
import { describe, expect, it } from 'vitest'
import { aliveOf } from '../src/read/may-live.ts'

/** Beyond every pid that a system gives. */
const NOBODY = 2_000_000_000
/** As two machines without /proc name themselves. */
const mac = (pid: number) => ({ boot: '', namespace: '', pid, thread: 0, started: '' })

const stored = (...rows: readonly object[]) => ({
  all: <Row>() => Promise.resolve(rows.map((row, n) => ({ id: n + 1, ...row })) as Row[]),
})

describe('a process', () => {
  it('may live where no machine has a boot id, whoever has its pid here', async () => {
    expect(await aliveOf(stored(mac(NOBODY), mac(7)), mac(7))).toEqual(new Set([1, 2]))
  })

  it.each([
    ['the machine has no boot id, though it has start times', { boot: '', started: '5' }, { boot: '', started: '5' }],
    ['its start time is not known', { started: '' }, {}],
    ['it is of another machine', { boot: 'another' }, {}],
    ['it is in another container', { namespace: 'another' }, {}],
  ])('may live where %s, and this one has nobody with its pid', async (_where, other, own) => {
    const me = { boot: 'this', namespace: 'this', pid: 7, thread: 0, started: '5' }

    expect(await aliveOf(stored({ ...me, ...other, pid: NOBODY }), { ...me, ...own })).toEqual(new Set([1]))
  })

  it('may live on another machine', async () => {
    expect(await aliveOf(stored({ ...mac(NOBODY), boot: 'another', started: '5' }))).toEqual(new Set([1]))
  })

  it.runIf(thisProcess().started !== '')('is dead where the system of its own machine has no such pid', async () => {
    const me = thisProcess()

    expect(await aliveOf(stored({ ...me, pid: NOBODY }, me))).toEqual(new Set([2]))
  })
})
