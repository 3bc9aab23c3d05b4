// Which processes count as alive, as the system of the one who asks has it.
import { thisProcess } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { aliveOf } from '../src/read/crawling-processes.ts'

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

  it('may live on another machine', async () => {
    expect(await aliveOf(stored({ ...mac(NOBODY), boot: 'another', started: '5' }))).toEqual(new Set([1]))
  })

  it.runIf(thisProcess().started !== '')('is dead where the system of its own machine has no such pid', async () => {
    const me = thisProcess()

    expect(await aliveOf(stored({ ...me, pid: NOBODY }, me))).toEqual(new Set([2]))
  })
})
