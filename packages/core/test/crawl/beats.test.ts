// From when to when a process says that it lives: others bury one that does not, and its sinks are theirs then.
import { crawl, definePlugin, memoryFrontier, spider } from 'avocet'
import type { Sink } from '@avocet/core/sink'
import type { Clock, Frontier, LeaseToken } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const MINUTE = 60_000

/** Time goes on while a sink writes, and while plugins open and close: as on a real clock. */
class Unheld extends VirtualClock {
  override hold(name: string): Disposable {
    return ['opening', 'closing', 'sink slow'].includes(name) ? { [Symbol.dispose]: () => undefined } : super.hold(name)
  }
}

function after(clock: Clock, ms: number): Promise<void> {
  return new Promise((over) => clock.at(clock.now() + ms, over))
}

/** A run on a store that others use, with what it says: when, s from the beginning, and whether it holds a host. */
async function beatsOf({
  plugin,
  sink,
}: {
  plugin?: (clock: Clock) => ReturnType<typeof definePlugin>
  sink?: (clock: Clock) => Sink
}) {
  const clock = new Unheld()
  const startedAt = clock.now()
  const beats: { readonly s: number; readonly holds: boolean }[] = []
  const inner = memoryFrontier()
  const frontier: Frontier = {
    ...inner,
    sharing: { news: async () => [], changedElsewhere: () => true, share: () => undefined },
    renew: (leases: readonly LeaseToken[], now: number) => {
      beats.push({ s: Math.floor((clock.now() - startedAt) / 1_000), holds: leases.length > 0 })
      return inner.renew(leases, now)
    },
  }
  const model = siteModel({ seed: 'beats', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 } }] })
  const report = await clock.run(() =>
    crawl({
      spider: spider({ name: 'shop', seeds: model.seeds(), handlers: { start: () => [{ n: 1 }] } }),
      frontier,
      clock,
      fetcher: simulatedWeb(model, { clock }),
      randomSeed: 'a',
      policies: plugin === undefined ? [] : [plugin(clock)],
      sinks: sink === undefined ? [] : [sink(clock)],
      drainMs: 10 * MINUTE,
    }).run(),
  )
  await inner.close()
  return { beats, report, endedAt: Math.floor((clock.now() - startedAt) / 1_000) }
}

/** The longest time without a word, s. */
function longestSilence(beats: readonly { readonly s: number }[], endedAt: number): number {
  const said = [0, ...beats.map(({ s }) => s), endedAt]
  return Math.max(...said.slice(1).map((s, n) => s - (said[n] ?? 0)))
}

describe('a process says that it lives', () => {
  it('while a sink writes its last items, for minutes, and then holds no host', async () => {
    const { beats, report, endedAt } = await beatsOf({
      sink: (clock) => ({ name: 'slow', limits: { timeoutMs: 9 * MINUTE }, write: () => after(clock, 3 * MINUTE) }),
    })

    expect(report).toMatchObject({ ended: 'done', sinks: [{ written: 1, behind: 0 }] })
    expect(endedAt).toBeGreaterThanOrEqual(180)
    expect(longestSilence(beats, endedAt)).toBeLessThanOrEqual(11)
    expect(beats.slice(-10).filter(({ holds }) => holds)).toEqual([])
  })

  it('while its plugins open, and while they close', async () => {
    const { beats, endedAt } = await beatsOf({
      plugin: (clock) => definePlugin({ name: 'slow', open: () => after(clock, 4 * MINUTE), close: () => after(clock, 25_000) }),
    })

    expect(endedAt).toBeGreaterThanOrEqual(265)
    expect(longestSilence(beats, endedAt)).toBeLessThanOrEqual(11)
  })

  it('and for nothing that others did, while it holds nothing', async () => {
    const { beats, endedAt } = await beatsOf({
      sink: (clock) => ({ name: 'slow', limits: { timeoutMs: 9 * MINUTE }, write: () => after(clock, 3 * MINUTE) }),
    })

    expect(beats.filter(({ s }) => s > 10 && s < endedAt - 10).length).toBeLessThan(20)
  })
})
