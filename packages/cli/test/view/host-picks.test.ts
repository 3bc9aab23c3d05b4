// Which hosts the table of the live view has.
import { describe, expect, it } from 'vitest'
import { frame, roomFor } from '../../src/view/frame.ts'
import { HostPicks, type HostLook } from '../../src/view/crawl-watcher.ts'
import { hostStatus } from '../crawl/crawl-status.ts'
import { hostRow, scene } from './view-scene.ts'

const NARROW = { columns: 80, rows: 24 }
const T0 = 1_800_000_000_000

describe('the table', () => {
  const look = (
    hostKey: string,
    numbers: Parameters<typeof hostStatus>[0],
    phase: HostLook['phase'] = 'running',
    state: HostLook['state'] = 'fine',
  ): [string, HostLook] => [hostKey, { state, why: '', values: () => ({}), phase, status: hostStatus({ hostKey, ...numbers }) }]
  const shownOf = (views: readonly [string, HostLook][], room: number): string[] =>
    new HostPicks().pick(new Map(views), { room, now: T0 }).rows.map(({ hostKey, state }) => `${hostKey} ${state}`)

  it('has as many rows as fit, and says how many hosts it leaves out', () => {
    const rows = Array.from({ length: 40 }, (_, n) => hostRow({ hostKey: `${n}.example` }))
    const many = scene({ rows, workingHosts: 40 })
    const lines = frame(many, NARROW)

    expect(lines).toHaveLength(23)
    expect(roomFor(NARROW, many)).toBe(13)
    expect(lines.at(-1)).toBe('27 more')
    expect(frame(many, { columns: 160, rows: 60 }).join()).not.toContain('more')
  })

  it('shows what is in flight while the crawl stops, and no host that only waits', () => {
    const at = (phase: HostLook['phase']): [string, HostLook][] => [
      look('flies.shop', { inFlight: 1, waiting: 0 }, phase),
      look('waits.shop', { lastDurationMs: 90 }, phase),
    ]

    expect(shownOf(at('running'), 9)).toEqual(['flies.shop fine', 'waits.shop fine'])
    expect(shownOf(at('draining'), 9)).toEqual(['flies.shop fine'])
  })

  it('has a host of each judgement before a second one of any, the gravest first', () => {
    const views = [
      ...Array.from({ length: 9 }, (_, n) => look(`busy-${n}.shop`, {})),
      ...Array.from({ length: 9 }, (_, n) => look(`dead-${n}.shop`, {}, 'running', 'unreachable')),
      look('hour.shop', {}, 'running', 'paused'),
      look('redone.shop', {}, 'running', 'broken layout'),
    ]

    expect(shownOf(views, 5)).toEqual([
      'redone.shop broken layout',
      'dead-0.shop unreachable',
      'dead-1.shop unreachable',
      'hour.shop paused',
      'busy-0.shop fine',
    ])
  })
})
