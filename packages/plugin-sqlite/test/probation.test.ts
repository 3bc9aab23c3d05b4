// Hosts that were given up and pages on probation, over runs and days of virtual time: every total of the file can be recounted.
import { join } from 'node:path'
import { crawl, definePlugin, spider, type CrawlConfig, type CrawlReport } from 'avocet'
import { failure, sleepUntil, type Fetcher } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const DAY_MS = 24 * 3_600_000
const seeds = ['dead', 'shop'].flatMap((name) => [1, 2, 3, 4, 5, 6].map((n) => `http://${name}.test/${n}`))

const patient = definePlugin({ name: 'patient', onError: (failed) => failed.retry(failed.now + 60_000, 'again') })

/** `dead.test` refuses for four days, `shop.test/1` is missing on the second, `/2` from the second on. Asked: day and URL. */
function web(clock: VirtualClock, startedAt: number, asked: string[]): Fetcher {
  return {
    fetch({ url }, receiver) {
      const day = Math.floor((clock.now() - startedAt) / DAY_MS)
      asked.push(`${day} ${url}`)
      receiver.sent()
      const wake = clock.at(clock.now() + 10, () => {
        if (url.includes('dead') && day < 4) return receiver.failed(failure('AVO_CONNECT_REFUSED', 'refused'))
        const isMissing = (url.endsWith('shop.test/1') && day === 1) || (url.endsWith('shop.test/2') && day >= 1)
        const head = { status: isMissing ? 404 : 200, headers: { 'content-type': 'text/html' } }
        receiver.headers(head)
        receiver.done({
          url,
          ...head,
          body: new Uint8Array(),
          wireBytes: 0,
          timings: { firstByteMs: 10, bodyMs: 0, reusedSocket: false },
        })
      })
      return () => wake[Symbol.dispose]()
    },
    close: async () => {},
  }
}

it('restarts lose no page of a host that came back, and every total is right', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'store.db')
  const [clock, asked] = [new VirtualClock(), [] as string[]]
  const startedAt = clock.now()
  /** Ten minutes of a crawl, from that day on. */
  const live = async (day: number, more: Partial<CrawlConfig>): Promise<CrawlReport> => {
    await clock.run(() => sleepUntil(clock, startedAt + day * DAY_MS))
    const subject = crawl({
      policies: [],
      spider: spider({ name: 'month', seeds, handlers: { *start() {} } }),
      plugins: [patient],
      frontier: sqlite(path, { clock }),
      clock,
      fetcher: web(clock, startedAt, asked),
      maxTimeMs: 600_000,
      randomSeed: 'month',
      ...more,
    })
    const report = await clock.run(() => subject.run())
    expect(audit(path)).toEqual([])
    return report
  }
  const recrawl = [{ everyMs: DAY_MS, match: /shop/ }]

  expect(await live(0, { recrawl })).toMatchObject({ ended: 'limit', counts: { done: 6, waiting: 6, retired: 6 } })
  expect(await live(1.1, { recrawl })).toMatchObject({ counts: { done: 4, failed: 2, retired: 6 }, probation: { pages: 2 } })
  expect(await live(2.1, { recrawl })).toMatchObject({ counts: { done: 5, failed: 1, retired: 6 }, probation: { pages: 1 } })
  const once = await live(2.2, {})
  expect(once).toMatchObject({ ended: 'given-up', counts: { retired: 6 }, probation: { pages: 0 } })
  expect(once.retiredHosts).toEqual([
    { hostKey: 'dead.test', waiting: 6, reason: 'never answered, 3 times in a row (last: connect-refused)' },
  ])
  expect(asked.filter((line) => line.includes('dead')).map((line) => line[0])).toEqual(['0', '0', '0', '1', '2'])
  // The page that is missing is gone, and still visited.
  expect(await live(5, { recrawl })).toMatchObject({ counts: { done: 11, waiting: 0, retired: 0, retiredHosts: 0, again: 6 } })
})
