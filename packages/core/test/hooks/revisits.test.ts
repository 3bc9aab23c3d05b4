// What follows from the votes of plugins on the next visit of a page.
import type { Plugin, Request } from '@avocet/core'
import type { Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { createHooks } from '../../src/hooks/hooks.ts'
import { Revisits } from '../../src/hooks/revisits.ts'
import { Stations } from '../../src/hooks/stations.ts'
import type { LiveHost } from '../../src/hosts/live-host.ts'

type Ask = Parameters<NonNullable<Plugin['revisit']>>[0]

const DAY_MS = 86_400_000
const failed = (status: number): Outcome => ({
  kind: 'failed',
  reason: `http-${status}`,
  fetched: { at: 5, status, durationMs: 5, wireBytes: 0 },
})

/** The outcome of a page that failed, after these votes at 10. */
function after(outcome: Outcome, earlier: object | undefined, ...votes: ((ask: Ask) => void)[]): Outcome {
  const stations = new Stations({ problem: () => {} }, () => {})
  const hooks = createHooks(stations)
  for (const [n, vote] of votes.entries()) hooks.revisit.tap(`plugin-${n}`, vote)
  const request = { url: 'https://shop.test/', ...(earlier && { earlier }) } as Request
  return new Revisits(hooks).afterTrouble({ host: {} as LiveHost, request }, outcome, 10)
}

describe('the next visit of a page', () => {
  it('is none without a vote', () => {
    expect(after(failed(404), undefined)).toEqual(failed(404))
    expect(after(failed(404), undefined, () => {})).toEqual(failed(404))
  })

  it('is the earliest that plugins vote for, with what that plugin said of it', () => {
    const missing = { visits: 1, since: 10 }
    const outcome = after(failed(404), undefined, (ask) => ask.again(300), (ask) => ask.again(200, { skipped: 2, missing })) // prettier-ignore
    expect(outcome).toEqual({ ...failed(404), again: { at: 200, skipped: 2, missing } })
  })

  it('is none where one plugin takes it for gone, unless one votes for it', () => {
    const gone = { ...failed(404), gone: true }
    expect(after(failed(404), undefined, (ask) => ask.gone(), () => {})).toEqual(gone) // prettier-ignore
    expect(after(failed(404), undefined, (ask) => ask.gone(), (ask) => ask.again(200))).toEqual({ ...gone, again: { at: 200, skipped: 0 } }) // prettier-ignore
  })

  it('is that of a page that is not gone where one plugin keeps it, whoever says that it is gone', () => {
    const again = { at: 200, skipped: 0 }
    const gone = (ask: Ask): void => {
      ask.gone()
      ask.again(200)
    }
    expect(after(failed(404), undefined, gone, (ask) => ask.keep())).toEqual({ ...failed(404), again })
    expect(after(failed(404), undefined, (ask) => ask.keep(), gone)).toEqual({ ...failed(404), again })
  })

  it('is a day later where a plugin throws, or votes for no moment', () => {
    const again = { at: 10 + DAY_MS, skipped: 0 }
    const broken = (): never => {
      throw new Error('broken')
    }
    expect(after(failed(500), undefined, broken)).toEqual({ ...failed(500), again })
    expect(after(failed(500), undefined, (ask) => ask.again(NaN))).toEqual({ ...failed(500), again })
    expect(after(failed(500), undefined, (ask) => ask.again(20, { skipped: -1 }))).toEqual({ ...failed(500), again })
  })

  it('is counted from when it was due, or was sent', () => {
    const due: number[] = []
    after(failed(500), { dueAt: 3 }, (ask) => due.push(ask.dueAt))
    after(failed(500), undefined, (ask) => due.push(ask.dueAt))
    after({ kind: 'failed', reason: 'reset' }, undefined, (ask) => due.push(ask.dueAt))
    expect(due).toEqual([3, 5, 10])
  })

  it('is not asked for where the page waits, or is done', () => {
    const retry: Outcome = { kind: 'retry', at: 9, counted: true, reason: 'reset' }
    expect(after(retry, undefined, (ask) => ask.again(20))).toBe(retry)
  })
})

describe('a page that was gone, and was asked for', () => {
  const earlier = { visits: 3, dueAt: 0, skipped: 0, gone: 1 }

  it('stays gone where that was in vain, also without any plugin', () => {
    expect(after(failed(404), earlier)).toEqual({ ...failed(404), gone: true })
    expect(after(failed(404), earlier, (ask) => ask.again(20))).toMatchObject({ again: { at: 20 } })
  })

  it('is gone no longer where it was there, and what failed was its handler', () => {
    expect(after(failed(200), earlier)).toEqual(failed(200))
  })
})

describe('plans of plugins', () => {
  it('are joined: the earliest moment, the shortest interval of seeds', () => {
    const revisits = new Revisits(createHooks(new Stations({ problem: () => {} }, () => {})))
    const record = {} as Parameters<Revisits['dueAt']>[0]
    expect([revisits.isRevisiting, revisits.seedsEveryMs, revisits.dueAt(record)]).toEqual([false, Infinity, undefined])
    revisits.take({ rules: 'a', dueAt: () => 7, seedsEveryMs: Infinity })
    revisits.take({ rules: 'b', dueAt: () => 5, seedsEveryMs: 60 })
    revisits.take({ rules: 'c', dueAt: () => undefined })
    expect([revisits.isRevisiting, revisits.seedsEveryMs, revisits.dueAt(record)]).toEqual([true, 60, 5])
  })
})
