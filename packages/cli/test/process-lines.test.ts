// What is said of the processes that crawl: of another machine nobody knows at once that one died.
import { describe, expect, it } from 'vitest'
import { LIFETIMES } from '../../plugin-postgres/src/process/held-time.ts'
import { processLines, silenceOf } from '../src/store/status.ts'

const NOW = 1_000_000
const FAR = { machine: 'crawler-2', pid: 4_711, hosts: 32, since: NOW - 720_000 }

describe('a process of another machine', () => {
  it('that was not heard from for 30 s may be dead, and says since when', () => {
    expect(processLines([{ ...FAR, silentMs: 600_000 }], NOW)).toEqual([
      'crawler-2: process 4711 holds 32 hosts, running for 12 min, not heard from for 10 min, it may be dead',
    ])
    expect(processLines([{ ...FAR, silentMs: 29_999 }], NOW)[0]).toMatch(/, last heard from 30 s ago$/)
  })

  it('may be dead from when on the store on its server lets others take its hosts over', () => {
    const saidAt = (silentMs: number): string => processLines([{ ...FAR, silentMs }], NOW)[0] ?? ''

    expect(saidAt(LIFETIMES.buryMs)).toContain('it may be dead')
    expect(saidAt(LIFETIMES.buryMs - 1)).not.toContain('it may be dead')
  })

  it('is no sign that the crawl goes on, where none of them was heard from', () => {
    expect(
      silenceOf([
        { ...FAR, silentMs: 600_000 },
        { ...FAR, silentMs: 45_000 },
      ]),
    ).toBe(45_000)
    expect(
      silenceOf([
        { ...FAR, silentMs: 600_000 },
        { ...FAR, silentMs: 2_000 },
      ]),
    ).toBeUndefined()
    expect(silenceOf([])).toBeUndefined()
  })
})

describe('a process of this machine', () => {
  it('is known to live, however long it was not heard from', () => {
    const stopped = { pid: 4_711, hosts: 1, silentMs: 600_000 }

    expect(processLines([stopped], NOW)).toEqual(['process 4711 holds 1 host, last heard from 10 min ago'])
    expect(silenceOf([stopped])).toBeUndefined()
  })
})
