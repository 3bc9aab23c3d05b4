// Which hosts the table of the live view has.
import { describe, expect, it } from 'vitest'
import { AnswerHistory } from '../../src/view/answer-history.ts'
import { frame, roomFor } from '../../src/view/frame.ts'
import { HostPicks, type HostLook } from '../../src/view/host-picks.ts'
import { hostStatus } from '../crawl/crawl-status.ts'
import { hostRow, scene } from './view-scene.ts'

const NARROW = { columns: 80, rows: 24 }
const T0 = 1_800_000_000_000

describe('the table', () => {
  const look = (
    hostKey: string,
    numbers: Parameters<typeof hostStatus>[0],
    good = 0,
    phase: HostLook['phase'] = 'running',
  ): [string, HostLook] => {
    const history = new AnswerHistory()
    for (let n = 0; n < good; n++) history.add(T0, true)
    return [
      hostKey,
      { status: hostStatus({ hostKey, ...numbers }), history, values: () => ({}), phase, now: T0, startedAt: T0 - 60_000 },
    ]
  }
  it('has as many rows as fit, and says how many hosts it leaves out', () => {
    const rows = Array.from({ length: 40 }, (_, n) => hostRow({ hostKey: `${n}.example` }))
    const many = scene({ rows, workingHosts: 40 })
    const lines = frame(many, NARROW)

    expect(lines).toHaveLength(23)
    expect(roomFor(NARROW, many)).toBe(13)
    expect(lines.at(-1)).toBe('27 more')
    expect(frame(many, { columns: 160, rows: 60 }).join()).not.toContain('more')
  })

  it('calls nobody busy while the crawl is paused, and shows what is in flight while it stops', () => {
    const at = (phase: HostLook['phase']) =>
      new Map([
        look('flies.shop', { inFlight: 1, waiting: 0 }, 1, phase),
        look('waits.shop', { lastDurationMs: 90 }, 1, phase),
        look('fails.shop', { consecutiveFailures: 2 }, 0, phase),
      ])
    const picks = new HostPicks()
    const rows = (phase: HostLook['phase']) =>
      picks.pick(at(phase), { room: 9, now: T0 }).rows.map(({ hostKey, labels }) => `${hostKey} ${labels[0]}`)

    expect(rows('running')).toEqual(['fails.shop failing', 'flies.shop slow', 'waits.shop busy'])
    expect(rows('paused')).toEqual(['fails.shop failing', 'flies.shop slow', 'waits.shop paused'])
    expect(rows('draining')).toEqual(['flies.shop slow'])
  })

  it('calls a host paused that an operator has paused, with an end or without, and shows it beside busy ones', () => {
    const hold = { by: 'operator', why: 'paused' }
    const views = new Map([
      ...Array.from({ length: 9 }, (_, n) => look(`busy-${n}.shop`, { lastDurationMs: 90 }, 5, 'running')),
      look('hour.shop', { lastDurationMs: 9_000, hold: { ...hold, until: T0 + 3_600_000 } }, 1, 'running'),
      look('open.shop', { consecutiveFailures: 2, hold: { ...hold, until: Infinity } }, 1, 'running'),
    ])
    const { rows } = new HostPicks().pick(views, { room: 4, now: T0 })

    expect(rows.map(({ hostKey, labels }) => [hostKey, labels])).toEqual([
      ['busy-0.shop', ['busy']],
      ['busy-1.shop', ['busy']],
      ['hour.shop', ['paused']],
      ['open.shop', ['paused']],
    ])
  })
})
