// Several crawls on one store, the first by its own time since the machine's clock was set back, on virtual time: they share its hosts, and no host is asked sooner than it wants.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl } from 'avocet'
import { sleepUntil, type Clock, type Fetcher } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { wideSpider, wideWeb, type WideHost } from './links/wide-web.ts'

const HOUR = 3_600_000
const HOSTS = 30

/** One process: when it runs, in ms of true time, and how far its wall clock is ahead. */
interface Process {
  readonly fromMs: number
  readonly untilMs: number
  readonly aheadMs: number
}

interface Asked {
  readonly by: number
  readonly host: string
  /** Ms of true time since the first process began. */
  readonly at: number
}

/** What the hosts felt of processes on one store. The machine's monotonic clock is the same for all of them. */
async function asked(processes: readonly Process[], hostOf: (name: string) => WideHost = steady): Promise<Asked[]> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-clocks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const truth = new VirtualClock()
  const startedAt = truth.now()
  const all: Asked[] = []
  const web = wideWeb(truth, hostOf)
  const runs = processes.map(async ({ fromMs, untilMs, aheadMs }, by) => {
    await sleepUntil(truth, startedAt + fromMs)
    const fetcher: Fetcher = {
      ...web,
      fetch(outbound, receiver) {
        all.push({ by, host: new URL(outbound.url).hostname, at: truth.now() - startedAt })
        return web.fetch(outbound, receiver)
      },
    }
    const clock = clockAhead(truth, aheadMs)
    const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
    const made = crawl({
      policies: [],
      spider: wideSpider(Array.from({ length: HOSTS }, (_, n) => `h${n}.test`)),
      frontier,
      drainMs: 0,
      maxTimeMs: untilMs - fromMs,
      randomSeed: 'clocks',
      clock,
      fetcher,
    })
    expect((await made.run()).error).toBeUndefined()
    await frontier.close()
  })
  await truth.run(Promise.all(runs))
  return all
}

function steady(): WideHost {
  return { latencyMs: 400 }
}

function clockAhead(truth: Clock, aheadMs: number): Clock {
  return {
    now: () => truth.now() + aheadMs,
    monotonic: () => truth.monotonic(),
    at: (epochMs, wake) => truth.at(epochMs - aheadMs, wake),
    hold: (name) => truth.hold(name),
  }
}

function count(all: readonly Asked[], by: number, fromMs: number, untilMs: number): number {
  return all.filter((one) => one.by === by && one.at >= fromMs && one.at < untilMs).length
}

/** The least time between two requests to one host, whoever made them. */
function leastGapMs(all: readonly Asked[]): number {
  const last = new Map<string, number>()
  let least = Infinity
  for (const { host, at } of all) {
    least = Math.min(least, at - (last.get(host) ?? -Infinity))
    last.set(host, at)
  }
  return least
}

const minute = { fromMs: 0, untilMs: 60_000, aheadMs: 0 }

describe('two processes on one store whose wall clocks differ', () => {
  it.each([
    ['5 s behind', -5_000],
    ['10 min behind', -600_000],
    ['2 h behind', -2 * HOUR],
  ])('share the hosts, the second %s', async (_, aheadMs) => {
    const all = await asked([minute, { fromMs: 2_000, untilMs: 60_000, aheadMs }])

    const late = [count(all, 0, 12_000, 60_000), count(all, 1, 12_000, 60_000)] as const
    expect(late[0] + late[1]).toBeGreaterThan(0.9 * HOSTS * 48)
    expect(Math.min(...late)).toBeGreaterThan(0.45 * HOSTS * 48)
    expect(leastGapMs(all)).toBeGreaterThanOrEqual(999)
  })

  it('ask no host sooner than it wants, and none much later, the second 2 h behind and left alone', async () => {
    const first = { status: 429, headers: { 'retry-after': '300' } }
    const all = await asked([minute, { fromMs: 20_000, untilMs: 330_000, aheadMs: -2 * HOUR }], (name) =>
      name === 'h7.test' ? { latencyMs: 400, first } : steady(),
    )

    const parked = all.filter(({ host }) => host === 'h7.test')
    expect((parked[1]?.at ?? 0) - (parked[0]?.at ?? 0)).toBeGreaterThanOrEqual(300_000)
    expect((parked[1]?.at ?? Infinity) - (parked[0]?.at ?? 0)).toBeLessThan(310_000)
    expect(count(all, 1, 70_000, 300_000)).toBeGreaterThan(0.9 * (HOSTS - 1) * 230)
    expect(leastGapMs(all)).toBeGreaterThanOrEqual(999)
  })
})
