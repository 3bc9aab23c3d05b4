// What the page says of a crawl now: what orders hold is known of every store, and that nobody knows when a host is resumed.
import { Orders } from '@avocet/at-rest'
import { describe, expect, it } from 'vitest'
import { nowAtRest, nowOfScene, type StoreTotals } from '../../src/ui/now-picture.ts'
import { crawlStatus, hostStatus } from '../crawl/crawl-status.ts'
import { scene } from '../view/view-scene.ts'

const NOW = crawlStatus().now
const UNTIL_RESUMED = 253_402_300_799_000

/** Hosts that are paused until then; 0: resumed. */
function totals(...until: readonly number[]): StoreTotals {
  const orders = new Orders()
  const rows = until.map((moment, n) => {
    const hostKey = `host-${n}.example`
    return moment === 0 ? { kind: 'resume-host', hostKey } : { kind: 'pause-host', hostKey, until: moment }
  })
  orders.take(rows.map((row, n) => ({ at: n + 1, json: JSON.stringify(row) })))
  return {
    counts: { known: 9, waiting: 5, done: 4, moved: 0, failed: 0, items: 0, hosts: 4, retiredHosts: 0, retired: 0 },
    ...{ liveProcesses: 0, phase: 'at-rest' as const, failures: [], sinks: [] },
    orders,
  }
}

const PAUSED = { by: 'operator', why: 'paused' }

describe('what waits', () => {
  it('is, in a store that another process crawls or none, what orders pause', () => {
    expect(nowAtRest(totals(0, NOW - 1, UNTIL_RESUMED, UNTIL_RESUMED), NOW).waits).toEqual([{ ...PAUSED, hosts: 2, until: null }])
    expect(nowAtRest(totals(NOW + 60_000, UNTIL_RESUMED), NOW).waits).toEqual([{ ...PAUSED, hosts: 2, until: NOW + 60_000 }])
    expect(nowAtRest(totals(0), NOW).waits).toEqual([])
  })

  it('has each paused host once in a crawl of this process, also one that was paused before it began', () => {
    const hold = { ...PAUSED, until: Infinity }
    const status = crawlStatus({ hosts: [hostStatus({ waiting: 2, hold })] })
    const parkedHolds = [{ by: 'breaker', why: 'open', until: NOW + 9_000 }]
    const at = scene({ glance: { status, pagesPerSecond: 1, averagePagesPerSecond: 1 }, parkedHolds })
    const breaker = { by: 'breaker', why: 'open', hosts: 1, until: NOW + 9_000 }

    expect(nowOfScene(at, totals()).waits).toEqual([breaker, { ...PAUSED, hosts: 1, until: null }])
    expect(nowOfScene(at, totals(UNTIL_RESUMED)).waits).toEqual([breaker, { ...PAUSED, hosts: 1, until: null }])
    expect(nowOfScene(at, totals(UNTIL_RESUMED, UNTIL_RESUMED)).waits[0]).toEqual({ ...PAUSED, hosts: 2, until: null })
  })
})

describe('seeds', () => {
  it('are counted until all were offered', () => {
    const at = (seeds?: { offered: number }) => ({ ...scene().glance, status: crawlStatus(seeds && { seeds }) })

    expect(nowOfScene(scene({ glance: at({ offered: 28_000 }) }), totals()).seeds).toBe('28,000 offered so far')
    expect(nowOfScene(scene({ glance: at() }), totals()).seeds).toBe(null)
  })
})

describe('a host that was given back', () => {
  it('waits until its time has come, and for nothing after that', () => {
    const parkedHolds = [NOW - 1, NOW, NOW + 1].map((until) => ({ by: 'core', why: 'not due yet', until }))

    const glance = { status: crawlStatus({ hosts: [] }), pagesPerSecond: 1, averagePagesPerSecond: 1 }

    expect(nowOfScene(scene({ glance, parkedHolds }), totals()).waits).toEqual([
      { by: 'core', why: 'not due yet', hosts: 1, until: NOW + 1 },
    ])
  })
})

describe('what is left', () => {
  it('is not known while a host is paused without an end, also one that this run has never seen', () => {
    expect(nowOfScene(scene(), totals(NOW + 60_000)).live?.restMs).toBe(88_000)
    expect(nowOfScene(scene(), totals(UNTIL_RESUMED)).live?.restMs).toBe(null)
  })
})
