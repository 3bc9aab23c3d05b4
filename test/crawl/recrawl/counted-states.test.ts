// What a run counts of its pages while it visits them again and again: each as what it was last, like the store, whatever it was before.
import { crawl, memoryFrontier, spider, type Page } from 'avocet'
import { retry } from '@avocet/plugin-retry'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { expectToAgree, html } from '../runs.ts'
import { scriptedWeb, type Answer } from '../scripted-web.ts'

const HOUR_MS = 3_600_000
const SHOP = 'http://shop.test'

const MOVED: Answer = { status: 301, headers: { location: '/new' } }
const GONE: Answer = { status: 404 }
const BROKEN: Answer = { status: 500 }

/** What each page answers, visit by visit: all changes between states. */
const PAGES: Readonly<Record<string, Answer | readonly Answer[]>> = {
  [`${SHOP}/`]: html('/well', '/ill', '/flaps', '/moves', '/breaks'),
  [`${SHOP}/well`]: html(),
  [`${SHOP}/ill`]: GONE,
  [`${SHOP}/flaps`]: [html(), GONE, html(), GONE, html(), GONE],
  [`${SHOP}/moves`]: [GONE, MOVED, html(), MOVED, GONE, MOVED],
  [`${SHOP}/new`]: html(),
  [`${SHOP}/breaks`]: [html(), BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, html()],
}

it.each([
  ['visits alone', []],
  ['what a person retries meanwhile', [2.251, 4.751, 7.251]],
])('counts as many pages done, moved, failed and waiting as the store, in every minute: %s', async (_, retriedAfterHours) => {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const run = crawl({
    spider: spider({
      name: 'shop',
      seeds: [`${SHOP}/`],
      handlers: {
        *start(page: Page) {
          for (const link of page.links()) yield link
        },
      },
    }),
    policies: [retry({ maxAttempts: 2 })],
    recrawl: [{ everyMs: HOUR_MS }],
    maxTimeMs: 9.5 * HOUR_MS,
    delayMs: 10,
    randomSeed: 'states',
    clock,
    frontier,
    fetcher: scriptedWeb(clock, PAGES),
  })
  let minutes = 0
  const states = new Set<string>()
  const look = async (): Promise<void> => {
    const { phase, failed, moved } = run.status()
    if (phase !== 'running') return
    minutes++
    states.add(`${failed} failed, ${moved} moved`)
    expectToAgree(run.status(), await frontier.reader.counts())
    clock.at(clock.now() + 60_000, () => void look())
  }
  clock.at(clock.now() + 60_000, () => void look())
  let retried = 0
  const retryAll = async (): Promise<void> => {
    const pages = await frontier.change({ kind: 'reopen', limit: 99 })
    retried += pages
    await run.control({ kind: 'given-up', done: 'retried', pages, settled: -pages })
  }
  for (const hours of retriedAfterHours) clock.at(clock.now() + hours * HOUR_MS, () => void retryAll())

  const report = await clock.run(() => run.run())

  expectToAgree(run.status(), report.counts)
  expect(minutes).toBeGreaterThan(500)
  // It has seen them come and go.
  expect(states.size).toBeGreaterThanOrEqual(3)
  expect(retried > 0).toBe(retriedAfterHours.length > 0)
})
