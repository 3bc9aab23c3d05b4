// Who gets the slots: nobody is starved, and hosts on probation get a share and no more.
import { crawl, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const list = (pages: number): HostSpec['pages'] => ({ kind: 'list', pages })
const hosts = (word: string, count: number, spec: Omit<HostSpec, 'name'>): HostSpec[] =>
  Array.from({ length: count }, (_, n) => ({ ...spec, name: `${word}-${n}.test` }))

async function settledAt(
  specs: readonly HostSpec[],
  config: { concurrency: number; maxPerHost: number; stopAfterMs: number },
): Promise<Map<string, number[]>> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'fair', hosts: specs })
  const startedAt = clock.now()
  const made = crawl({
    policies: [],
    spider: spider({ name: 'fair', seeds: model.seeds(), handlers: { *start() {} } }),
    concurrency: config.concurrency,
    maxPerHost: config.maxPerHost,
    delayMs: 0,
    maxTimeMs: config.stopAfterMs,
    drainMs: 0,
    randomSeed: 'fair',
    clock,
    fetcher: simulatedWeb(model, { clock }),
  })
  const settled = new Map<string, number[]>()
  made.hooks.onSettled.tap('watch', ({ request, outcome, now }) => {
    if (outcome.kind === 'done') settled.set(request.hostKey, [...(settled.get(request.hostKey) ?? []), now - startedAt])
  })
  await clock.run(() => made.run())
  return settled
}

describe('slots', () => {
  it('are shared by time, so that slow hosts do not crowd out quick ones', async () => {
    const specs = [
      ...hosts('quick', 4, { pages: list(2_000), latency: { law: 'fixed', ms: 100 } }),
      ...hosts('slow', 4, { pages: list(2_000), latency: { law: 'fixed', ms: 5_000 } }),
    ]
    const settled = await settledAt(specs, { concurrency: 4, maxPerHost: 8, stopAfterMs: 120_000 })
    const pagesOf = (word: string): number[] => [0, 1, 2, 3].map((n) => settled.get(`${word}-${n}.test`)?.length ?? 0)

    // An eighth of 4 slots for 120 s is 600 quick pages, or 12 slow ones; every host gets about that, though there are fewer slots than hosts.
    expect(Math.min(...pagesOf('quick'))).toBeGreaterThan(400)
    expect(Math.min(...pagesOf('slow'))).toBeGreaterThan(6)
  })

  it('are held by hanging hosts to a small share only: two hundred of them do not slow five healthy ones down', async () => {
    const specs = [
      ...hosts('well', 5, { pages: list(50), latency: { law: 'fixed', ms: 100 } }),
      ...hosts('hanging', 200, { pages: list(5), death: 'hang' }),
    ]
    const settled = await settledAt(specs, { concurrency: 20, maxPerHost: 2, stopAfterMs: 20_000 })
    const pages = [...settled.values()].flat()

    // 250 pages of 0.1 s, ten at a time, take 2.5 s, and 0.1 s passes before the healthy hosts are proven.
    expect(pages).toHaveLength(250)
    expect(Math.max(...pages)).toBeLessThan(3_000)
  })
})
