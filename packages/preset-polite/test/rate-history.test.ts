// The history of a host shows what its rate policy did: the rise, the refusals at which it fell, and where it came to rest.
import { crawl, memoryFrontier, spider } from 'avocet'
import type { MemoryParts } from '@avocet/core/store'
import { textbook } from '@avocet/plugin-aimd'
import { hostHistory, journal, journalOf, type HostStep } from '../../plugin-journal/src/index.ts'
import { simulatedWeb, siteModel, VirtualClock, type Felt } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { polite, type PoliteOptions } from '../src/index.ts'

const HOUR = 3_600_000

/** A host that serves two requests a second. */
async function crawled(
  pages: number,
  options: PoliteOptions = {},
): Promise<{ readonly memory: MemoryParts; readonly felt: Felt }> {
  const capacity = { law: 'bucket', perSecond: 2, burst: 4 } as const
  const model = siteModel({ seed: 'rate', hosts: [{ name: 'a.example', pages: { kind: 'list', pages }, capacity }] })
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const frontier = memoryFrontier()
  const subject = crawl({
    policies: polite(options),
    spider: spider({ name: 'rate', seeds: model.seeds(), handlers: { *start() {} } }),
    frontier,
    clock,
    fetcher: web,
    plugins: [journal()],
    patienceMs: Infinity,
  })
  await clock.run(() => subject.run())
  const memory = (await frontier.reader.hosts({ hostKey: 'a.example' }))[0]?.memory ?? {}
  return { memory, felt: web.felt('a.example') }
}

const added = (steps: readonly HostStep[], field: 'requests' | 'refusals'): number =>
  steps.reduce((sum, step) => sum + step[field], 0)

describe('the history of a host', () => {
  it('shows the sawtooth of a rate that rises until it is refused', async () => {
    const { memory, felt } = await crawled(2_000, { rate: { law: textbook() } })

    const { widthMs, steps } = hostHistory(memory)

    expect(widthMs).toBe(20_000)
    expect(added(steps, 'requests')).toBe(felt.requests)
    expect(added(steps, 'refusals')).toBe(felt.refused)
    // It begins at one a second, and saws between 1.9 and 2.2 from the first minute on: every second step or so is a tooth.
    expect(steps[0]?.pacedRps).toBeLessThan(1.5)
    const paces = steps.slice(4).map(({ pacedRps = 0 }) => pacedRps)
    expect(Math.min(...paces)).toBeGreaterThan(1.85)
    expect(Math.max(...paces)).toBeGreaterThan(2.15)
    expect(paces.filter((pace, n) => pace < (paces[n - 1] ?? 0)).length).toBeGreaterThan(5)
  })

  it('shows the last hour by 20 s, all of three hours more coarsely, and where the rate came to rest', async () => {
    const { memory } = await crawled(20_000)
    const to = journalOf(memory)?.lastAt ?? 0

    const hour = hostHistory(memory, { from: to - HOUR, to })
    const all = hostHistory(memory, { points: 60 })

    expect(hour.widthMs).toBe(20_000)
    expect(hour.steps.length).toBeGreaterThan(178)
    const paces = hour.steps.map(({ pacedRps = 0 }) => pacedRps)
    expect(Math.abs(paces.reduce((sum, pace) => sum + pace, 0) / paces.length - 2)).toBeLessThan(0.2)
    expect(Math.min(...paces)).toBeGreaterThan(1)
    expect(all.widthMs).toBeGreaterThan(100_000)
    expect(all.steps.length).toBeGreaterThan(25)
    expect(all.steps.at(-1)?.pacedRps).toBeGreaterThan(1)
    expect(added(all.steps, 'requests')).toBe(journalOf(memory)?.buckets.reduce((sum, { requests }) => sum + requests, 0))
  })
})
