// A lost network of ours: no host may pay for it.
import { crawl, definePlugin, spider } from '@avocet/core'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/testkit'
import { describe, expect, it } from 'vitest'

/** `count` hosts of twenty pages; all of them silent from second 5 to second 35, or only the first `silent`. */
function web(count: number, silent: number): readonly HostSpec[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `host-${n}.test`,
    pages: { kind: 'list', pages: 20 } as const,
    latency: { law: 'fixed', ms: 200 } as const,
    ...(n < silent && { outages: [{ style: 'blackhole' as const, fromMs: 5_000, untilMs: 35_000 }] }),
  }))
}

async function crawled(hosts: readonly HostSpec[]) {
  const model = siteModel({ seed: 'network', hosts })
  const clock = new VirtualClock()
  const failures: string[] = []
  const watch = definePlugin({ name: 'watch', onError: ({ exchange }) => void failures.push(exchange.host.key) })
  const site = spider({ name: 'network', seeds: model.seeds(), handlers: { *start() {} } })
  const made = crawl({ spider: site, clock, fetcher: simulatedWeb(model, { clock }), plugins: [watch], randomSeed: 'a' })
  const report = await clock.run(() => made.run())
  return { report, failures }
}

describe('when all hosts fall silent at once', () => {
  it('blames none of them beyond what was under way, and loses no page', async () => {
    const { report, failures } = await crawled(web(40, 40))

    expect(report.run.pages).toBeGreaterThanOrEqual(40 * 20 - 10)
    expect(failures.length).toBeLessThan(10)
    expect(report.retiredHosts).toEqual([])
  })
})

describe('when a quarter of the hosts falls silent', () => {
  it('takes it for what it is: their fault', async () => {
    const { report, failures } = await crawled(web(40, 10))

    expect(new Set(failures).size).toBe(10)
    expect(report.run.pages).toBeGreaterThanOrEqual(30 * 20)
  })
})
