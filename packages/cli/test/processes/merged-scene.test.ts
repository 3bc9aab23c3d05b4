// Several processes as one scene: what they share is counted once.
import { describe, expect, it } from 'vitest'
import type { SettledBeside } from '@avocet/core/tools'
import { MergedScene } from '../../src/processes/merged-scene.ts'
import type { ProcessScene } from '../../src/processes/process-messages.ts'
import { NO_COUNTS } from '../../src/processes/run-counts.ts'
import type { Scene } from '../../src/view/scene.ts'
import { crawlStatus } from '../crawl/crawl-status.ts'
import { hostRow, scene } from '../view/view-scene.ts'

interface Did {
  readonly known: number
  readonly settled: number
  readonly failed?: number
  readonly pages: number
  readonly rows?: Scene['rows']
  readonly phase?: 'running' | 'draining' | 'paused'
  readonly now?: number
  readonly beside?: readonly SettledBeside[]
}

/** A process that resumed a store of 100 known URLs, 40 of them settled: 20 done, 4 moved, 16 failed. */
function sceneOf({ known, settled, failed = 16, pages, rows = [], phase = 'running', now = 0, beside = [] }: Did): Scene {
  const { startedAt: _start, drain: _drain, pausedFor: _for, pausedBy: _by, sinks: _sinks, ...status } = crawlStatus()
  const run = { ...NO_COUNTS, pages, failed: 1 }
  const all = { ...totalsOf({ known, settled, failed, items: 10 + pages }), inFlight: 3, slots: 8, liveHosts: 2 }
  return scene({
    glance: {
      status: { ...status, ...all, startedAt: 0, now, phase, run, hosts: [], settledBeside: { count: 0, newest: beside } },
      pagesPerSecond: 0,
      averagePagesPerSecond: 0,
    },
    rows,
    failures: [{ kind: 'http-404', count: 1 }],
    troubles: [{ kind: 'refused (429)', count: 2 }],
  })
}

function totalsOf({
  known,
  settled,
  failed = 16,
  items,
}: Pick<Did, 'known' | 'settled' | 'failed'> & { readonly items: number }) {
  return { known, settled, waiting: known - settled, done: settled - failed - 4, moved: 4, failed, items }
}

/** The scene of processes that show something for the first time. */
function met(merged: MergedScene, all: readonly ProcessScene[]): void {
  for (const process of all) merged.met(process)
}

const OPENED = totalsOf({ known: 100, settled: 40, items: 10 })

/** Two processes at one moment; the first has done something. */
function ofTwo(): { readonly merged: MergedScene; readonly first: ProcessScene; readonly second: ProcessScene } {
  const merged = new MergedScene({}, 0)
  const first = { scene: sceneOf({ known: 100, settled: 60, pages: 19, now: 1_000 }), opened: OPENED }
  const second = { scene: sceneOf({ known: 100, settled: 40, pages: 0, now: 1_000 }), opened: { ...OPENED } }
  met(merged, [first, second])
  return { merged, first, second }
}

/** In the place of one that died, a second later: it finds what that one had committed. */
function startedAgain(merged: MergedScene): ProcessScene {
  const opened = totalsOf({ known: 150, settled: 62, items: 10 })
  const again = { scene: sceneOf({ known: 150, settled: 62, pages: 0, now: 2_000 }), opened }
  met(merged, [again])
  return again
}

describe('the scene of several processes', () => {
  it('adds up what each did, and counts once what was there', () => {
    const merged = new MergedScene({}, 0)
    const first = { scene: sceneOf({ known: 130, settled: 60, failed: 17, pages: 19 }), opened: OPENED }
    // It opened when the first had found ten more and settled five.
    const second = {
      scene: sceneOf({ known: 115, settled: 55, failed: 17, pages: 9 }),
      opened: totalsOf({ known: 110, settled: 45, items: 15 }),
    }

    met(merged, [first, second])
    const seen = merged.look([first, second])

    const status = seen?.glance.status
    expect([status?.known, status?.settled, status?.waiting]).toEqual([135, 70, 65])
    expect([status?.run.pages, status?.inFlight, status?.slots]).toEqual([28, 6, 16])
    expect([status?.failed, status?.done, status?.moved]).toEqual([18, 48, 4])
    expect(seen?.failures).toEqual([{ kind: 'http-404', count: 2 }])
  })

  it('keeps what a process did that died', () => {
    const merged = new MergedScene({}, 0)
    const first = { scene: sceneOf({ known: 130, settled: 60, pages: 19 }), opened: OPENED }
    const second = { scene: sceneOf({ known: 105, settled: 45, pages: 4 }), opened: { ...OPENED } }
    met(merged, [first, second])

    merged.gone(second, {})
    const seen = merged.look([first])

    expect(seen?.glance.status.known).toBe(135)
    expect(seen?.glance.status.run.pages).toBe(23)
    expect(seen?.failures).toEqual([{ kind: 'http-404', count: 2 }])
    expect(seen?.troubles).toEqual([{ kind: 'refused (429)', count: 4 }])
  })

  it('sees what a process had committed and not told any more as it died, once it is back', () => {
    const { merged, first, second } = ofTwo()
    // It commits 50 new URLs, one page and a failure, and is killed before it tells.
    merged.gone(second, {})
    const again = startedAgain(merged)

    const early = merged.look([first, again])
    const later = { ...first, scene: sceneOf({ known: 100, settled: 61, pages: 20, now: 2_100 }) }
    const seen = merged.look([later, again])

    expect(early?.glance.status).toMatchObject({ known: 100, waiting: 40 })
    expect(seen?.glance.status).toMatchObject({ known: 150, settled: 62, waiting: 88 })
  })

  it('counts pages once that had failed in visits which it had not told any more, and that were done before', () => {
    const { merged, first, second } = ofTwo()
    merged.gone(second, {})
    const totals = { known: 100, settled: 60, failed: 20 }
    const again = { scene: sceneOf({ ...totals, pages: 0, now: 2_000 }), opened: totalsOf({ ...totals, items: 29 }) }
    met(merged, [again])

    const later = { ...first, scene: sceneOf({ known: 100, settled: 60, pages: 19, now: 2_100 }) }

    expect(merged.look([later, again])?.glance.status).toMatchObject({ settled: 60, done: 36, moved: 4, failed: 20 })
  })

  it('sees it also where another one has finished, which shows nothing any more', () => {
    const { merged, first, second } = ofTwo()
    merged.finished(first)
    merged.gone(second, {})
    const again = startedAgain(merged)

    const seen = merged.look([first, again])

    expect(seen?.glance.status).toMatchObject({ known: 150, settled: 62, waiting: 88 })
  })

  it('sees it also where the one that was started in its place dies before the others have shown a later moment', () => {
    const { merged, first, second } = ofTwo()
    merged.gone(second, {})
    const again = startedAgain(merged)
    merged.gone(again, {})

    const later = { ...first, scene: sceneOf({ known: 100, settled: 60, pages: 19, now: 2_100 }) }
    const seen = merged.look([later])

    expect(seen?.glance.status).toMatchObject({ known: 150, settled: 62, waiting: 88 })
  })

  it('counts once what commands did to given-up pages, of which each process tells', () => {
    const { merged, first, second } = ofTwo()
    const retried = { at: 1_100, settled: -5 }
    const dropped = { at: 1_200, settled: 2 }
    const early = { ...first, scene: sceneOf({ known: 100, settled: 60, pages: 19, now: 1_300, beside: [retried, dropped] }) }
    const late = { ...second, scene: sceneOf({ known: 100, settled: 40, pages: 0, now: 1_150, beside: [retried] }) }

    const seen = merged.look([early, late])
    // It has heard of both as it opened, and tells of what came since.
    merged.gone(early, {})
    const opened = totalsOf({ known: 100, settled: 57, failed: 13, items: 29 })
    const more = [{ at: 2_500, settled: -1 }]
    const again = { scene: sceneOf({ known: 100, settled: 57, failed: 13, pages: 0, now: 3_000, beside: more }), opened }
    met(merged, [again])
    const later = merged.look([again, { ...late, scene: sceneOf({ known: 100, settled: 40, pages: 0, now: 3_100 }) }])

    expect([seen?.glance.status.settled, seen?.glance.status.waiting, seen?.glance.status.failed]).toEqual([57, 43, 16 - 3])
    expect([later?.glance.status.settled, later?.glance.status.waiting]).toEqual([56, 44])
  })

  it('sees pages that wait again by a command that came while all of them were dead', () => {
    const { merged, first, second } = ofTwo()
    for (const process of [first, second]) merged.gone(process, {})
    const opened = totalsOf({ known: 100, settled: 50, items: 29 })
    const again = { scene: sceneOf({ known: 100, settled: 50, pages: 0, now: 3_000 }), opened }
    met(merged, [again])

    expect(merged.look([again])?.glance.status).toMatchObject({ known: 100, settled: 50, waiting: 50 })
  })

  it('counts two changes of one moment, of two commands that did not know of each other', () => {
    const { merged, first, second } = ofTwo()
    const beside = [-5, -3].map((settled) => ({ at: 1_100, settled }))
    const each = [first, second].map((process, n) => ({
      ...process,
      scene: sceneOf({ known: 100, settled: n === 0 ? 60 : 40, pages: n === 0 ? 19 : 0, now: 1_300, beside }),
    }))

    expect(merged.look(each)?.glance.status).toMatchObject({ settled: 52, waiting: 48 })
  })

  it('has never less than nothing waiting', () => {
    const merged = new MergedScene({}, 0)
    // What it settled was found by another command.
    const process = { scene: sceneOf({ known: 100, settled: 114, pages: 74 }), opened: OPENED }

    met(merged, [process])
    const seen = merged.look([process])

    expect(seen?.glance.status).toMatchObject({ known: 114, settled: 114, waiting: 0 })
  })

  it('shows a host that changes hands once, in the order that was wished for', () => {
    const merged = new MergedScene({}, 0)
    const rows = (inFlight: number, much: number) => [
      hostRow({ hostKey: 'a.example', inFlight, much }),
      hostRow({ hostKey: `${much}.example`, much: much + 1 }),
    ]
    const each = [rows(0, 1), rows(2, 5)].map((some) => ({
      scene: sceneOf({ known: 100, settled: 40, pages: 0, rows: some }),
      opened: OPENED,
    }))

    const wishes = { order: 'waiting', filter: '', isTyping: false, isHelp: false } as const
    met(merged, each)
    const seen = merged.look(each, { room: 2, wishes })

    expect(seen?.rows.map(({ hostKey, inFlight }) => [hostKey, inFlight])).toEqual([
      ['5.example', 0],
      ['a.example', 2],
    ])
  })

  it('counts a host as parked once, and not while another process has it at work', () => {
    const merged = new MergedScene({}, 0)
    const keys = [
      { live: ['a.example', 'b.example'], parked: ['c.example', 'd.example'] },
      { live: ['c.example'], parked: ['b.example', 'd.example', 'e.example'] },
    ]
    const each = keys.map((hostKeys) => {
      const shown = sceneOf({ known: 100, settled: 40, pages: 0 })
      return { scene: { ...shown, parkedHosts: hostKeys.parked.length, hostKeys }, opened: OPENED }
    })

    met(merged, each)
    expect(merged.look(each)?.parkedHosts).toBe(2)
  })

  it('says how many processes have the store open, as the one says that looked last', () => {
    const merged = new MergedScene({}, 0)
    const each = [2, 3].map((storeProcesses) => ({
      scene: { ...sceneOf({ known: 100, settled: 40, pages: 0 }), storeProcesses },
      opened: OPENED,
    }))

    met(merged, each)
    expect(merged.look(each)).toMatchObject({ processes: 2, storeProcesses: 3 })
  })

  it('runs as long as one of them does', () => {
    const merged = new MergedScene({}, 0)
    const each = (['draining', 'running'] as const).map((phase) => ({
      scene: sceneOf({ known: 100, settled: 40, pages: 0, phase }),
      opened: OPENED,
    }))

    met(merged, each)
    expect(merged.look(each)?.glance.status.phase).toBe('running')
  })
})
