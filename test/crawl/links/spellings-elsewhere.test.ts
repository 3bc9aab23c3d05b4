// A chain of spellings that this process had begun and another one finished belongs to the past.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, type Crawl } from 'avocet'
import { sleepUntil } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { pathSpider } from '../harness.ts'
import { scriptedWeb } from '../scripted-web.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

it('a page that another process visited meanwhile is requested by the URL that is known, and is no loop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-spellings-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const isLater = (): boolean => clock.now() - startedAt > HOUR / 2
  const page = { body: 'here' }
  const to = (location: string) => ({ status: 301, headers: { location } })
  // At first the page is at /p?, later at /p.
  const fetcher = scriptedWeb(clock, {
    get 'http://a.test/p'() {
      return isLater() ? page : to('/p?')
    },
    get 'http://a.test/p?'() {
      return isLater() ? to('/p') : page
    },
  })
  const process = (maxTimeMs: number): Crawl =>
    crawl({
      policies: [],
      spider: pathSpider(['http://a.test/p']),
      frontier: sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' }),
      recrawl: [{ everyMs: HOUR }],
      delayMs: MINUTE,
      drainMs: 0,
      maxTimeMs,
      randomSeed: 'two',
      clock,
      fetcher,
    })

  const first = process(1.5 * HOUR)
  const [report] = await clock.run(async () => {
    clock.at(startedAt + 30_000, () => first.pause('the other one goes on'))
    clock.at(startedAt + 20 * MINUTE, () => first.resume())
    const other = sleepUntil(clock, startedAt + 40_000).then(() => process(10 * MINUTE).run())
    return Promise.all([first.run(), other])
  })

  const asked = fetcher.seen.map(({ outbound }) => new URL(outbound.url).href.slice('http://a.test'.length))
  expect(asked).toEqual(['/p', '/p', '/p?', '/p'])
  expect(report.counts).toMatchObject({ done: 1, failed: 0 })
})
