// Rate, window, timeouts, breaker and retries together, on a healthy site that is slow: twenty pages of about 15 s each, whose slowness is not our doing.
import { crawl, spider } from 'avocet'
import { adaptiveTimeout } from '@avocet/plugin-adaptive-timeout'
import { aimd } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const SLOW: Omit<HostSpec, 'name'> = {
  pages: { kind: 'list', pages: 20 },
  latency: { law: 'uniform', minMs: 12_000, maxMs: 18_000 },
}

async function crawled(
  hosts: readonly HostSpec[],
): Promise<{ readonly pages: number; readonly failed: number; readonly tookS: number }> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const model = siteModel({ seed: 'slow', hosts })
  const run = crawl({
    policies: [],
    spider: spider({ name: 'slow', seeds: model.seeds(), handlers: { *start() {} } }),
    plugins: [aimd(), adaptiveTimeout(), breaker(), retry()],
    patienceMs: 3_600_000,
    randomSeed: 'fixed',
    clock,
    fetcher: simulatedWeb(model, { clock }),
  })
  const { run: report } = await clock.run(() => run.run())
  return { pages: report.pages, failed: report.failed, tookS: (clock.now() - startedAt) / 1_000 }
}

describe('a healthy site that takes 15 s a page', () => {
  it('is read whole, in less than half of the time that one by one would take', async () => {
    const { pages, failed, tookS } = await crawled([{ name: 'slow.test', ...SLOW }])

    expect({ pages, failed }).toEqual({ pages: 20, failed: 0 })
    expect(tookS).toBeLessThan(150)
  })
})
