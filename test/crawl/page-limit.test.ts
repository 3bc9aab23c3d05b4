// A maximum of pages that is changed while a run goes on, as who starts several runs on one store does.
import { crawl } from 'avocet'
import { sleepUntil } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { wideSpider, wideWeb } from './links/wide-web.ts'

describe('a limit of pages that is changed', () => {
  it('is the most that a run begins; a higher one lets it go on at once, and one that is reached ends it', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const run = crawl({
      policies: [],
      spider: wideSpider(['a.test', 'b.test', 'c.test']),
      concurrency: 3,
      maxPerHost: 1,
      delayMs: 0,
      maxPages: 100,
      clock,
      fetcher: wideWeb(clock, () => ({ latencyMs: 1_000 })),
    })
    const later = async (): Promise<readonly number[]> => {
      await sleepUntil(clock, startedAt + 500)
      run.limitPages(4)
      await sleepUntil(clock, startedAt + 2_500)
      const few = run.status().inFlight
      run.limitPages(8)
      await sleepUntil(clock, startedAt + 2_600)
      return [few, run.status().inFlight]
    }

    const [report, inFlight] = await clock.run(Promise.all([run.run(), later()]))

    expect(inFlight).toEqual([1, 3])
    expect(report).toMatchObject({ ended: 'limit', why: 'maxPages (100) is reached', run: { pages: 8 } })
  })
})
