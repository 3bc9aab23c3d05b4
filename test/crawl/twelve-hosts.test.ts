// Two of twelve hosts hang for ever; the ten others must not notice. The test that the leading frameworks fail.
import { crawl, spider } from 'avocet'
import { simulatedWeb, twelveHosts, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

describe('a crawl of twelve hosts, of which two never answer', () => {
  it('gets at least 495 of the 500 healthy pages within 4 s, on 16 slots', async () => {
    const clock = new VirtualClock()
    const model = twelveHosts()
    const startedAt = clock.now()
    let healthyWithin4s = 0
    const run = crawl({
      policies: [],
      spider: spider({ name: 'twelve-hosts', seeds: model.seeds(), handlers: { *start() {} } }),
      concurrency: 16,
      maxPerHost: 8,
      delayMs: 0,
      randomSeed: 'fixed',
      clock,
      fetcher: simulatedWeb(model, { clock }),
    })
    run.hooks.onSettled.tap('count', ({ outcome, now }) => {
      if (outcome.kind === 'done' && now - startedAt <= 4_000) healthyWithin4s++
    })

    const report = await clock.run(() => run.run())

    expect(healthyWithin4s).toBeGreaterThanOrEqual(495)
    expect(report).toMatchObject({ ended: 'given-up', run: { pages: 500 } })
    expect(report.retiredHosts.map(({ reason }) => reason)).toEqual([
      'never answered, 3 times in a row (last: first-byte-timeout)',
      'never answered, 3 times in a row (last: first-byte-timeout)',
    ])
  })
})
