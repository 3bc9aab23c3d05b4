// What hosts are promised, with few seeds, and that broken promises show: bench/control/promises.ts is the whole of it.
import { definePlugin, type Plugin } from '@avocet/core'
import type { Admission } from '@avocet/core/plugin'
import { fixedTimeout } from '@avocet/plugin-adaptive-timeout'
import { polite, type PoliteOptions } from '@avocet/preset-polite'
import { describe, expect, it } from 'vitest'
import { forgetful } from './forgetful.ts'
import { patienceRows, silenceRows, tooSoon, writtenInHolds } from '../../bench/control/promises.ts'
import type { Row } from '../../bench/control/row.ts'

const missed = (rows: readonly Row[]): string[] => rows.filter(({ holds }) => !holds).map(({ name }) => name)

const WRITTEN = 'hold: requests written between the first 429 of an epoch and its end'

describe('the policies together', () => {
  it('write nothing during a hold, during a Retry-After, or before the end of a Crawl-delay', async () => {
    expect(missed(await silenceRows({ seeds: 2, quick: true }))).toEqual([])
  })

  it('give up on no healthy host, however slow', async () => {
    expect(missed(await patienceRows({ seeds: 1 }))).toEqual([])
  })
})

describe('a broken promise shows', () => {
  it('when what is booked at a refusal is not taken back', async () => {
    const broken = missed(await silenceRows({ seeds: 1, quick: true, policies: withoutRecall }))

    expect(broken).toContain(WRITTEN)
    expect(broken).toContain('Retry-After, window of 60 s: requests before it ended')
  })

  it('when nobody heeds what hosts say', async () => {
    const reckless = (): readonly Plugin[] => [definePlugin({ name: 'reckless', policy: 'rate' }), forgetful]

    expect(missed(await silenceRows({ seeds: 1, quick: true, policies: reckless }))).toEqual([
      WRITTEN,
      'Retry-After, window of 60 s: requests before it ended',
      'Retry-After as a date, window of 60 s: requests before it ended',
      '503 with Retry-After: 7, bucket: requests before it ended',
      'Crawl-delay: 2: requests sooner after one another',
    ])
  })

  it('when a fixed timeout gives up on a slow host', async () => {
    const impatient = (): readonly Plugin[] => polite({ timeouts: { law: fixedTimeout({ ms: 10_000 }) } })

    expect(missed(await patienceRows({ seeds: 1, policies: impatient }))).toContain('site of 15 s: false timeouts')
  })
})

describe('what is counted', () => {
  it('is what arrives from the first refusal until all that was in flight has ended', () => {
    const log = [
      { path: '/1', at: 0, status: 200, endedAt: 900 },
      { path: '/2', at: 100, status: 429, endedAt: 150 },
      { path: '/3', at: 120, status: 429, endedAt: 170 },
      { path: '/4', at: 600, status: 200, endedAt: 700 },
      { path: '/5', at: 900, status: 200, endedAt: 1_000 },
    ]

    expect(writtenInHolds(log)).toEqual({ epochs: 1, written: 1 })
  })

  it('ends after five seconds, whatever is still in flight', () => {
    const log = [
      { path: '/1', at: 0, status: 200, endedAt: 30_000 },
      { path: '/2', at: 100, status: 503, endedAt: 150 },
      { path: '/3', at: 5_149, status: 200, endedAt: 5_200 },
      { path: '/4', at: 5_150, status: 429, endedAt: 5_250 },
    ]

    expect(writtenInHolds(log)).toEqual({ epochs: 2, written: 1 })
  })

  it('is each gap that is too short by more than a millisecond', () => {
    const log = [0, 2_000, 3_999, 5_997].map((at) => ({ path: '/', at, status: 200 }))

    expect(tooSoon(log, 2_000)).toBe(1)
  })
})

/** As `polite()`, but that what is booked stays booked: no more than the pace keeps a host from being asked. */
function withoutRecall(options?: PoliteOptions): readonly Plugin[] {
  const deafened = polite(options).map((plugin) => {
    if (plugin.name !== 'aimd') return plugin
    const admit = (ask: Admission, host: unknown, crawl: unknown): void => {
      const { host: view, now, delayFrom, nextUrl, nextSession, probing } = ask
      const atMost = (n: number, why: string): void => {
        if (n > 0) ask.atMost(n, why)
      }
      const deaf = {
        host: view,
        now,
        delayFrom,
        nextUrl,
        nextSession,
        probing,
        atMost,
        notBefore: ask.notBefore.bind(ask),
        giveUp: ask.giveUp.bind(ask),
        paces: ask.paces.bind(ask),
        require: ask.require.bind(ask),
      }
      plugin.admit?.(deaf, host, crawl)
    }
    return { ...plugin, admit }
  })
  return [...deafened, forgetful]
}
