// How the page keeps up in a real browser: frames a second while everything changes, and while 100,000 hosts are scrolled; and when it is first seen.
import { startDashboard, type CrawlShelf } from '@avocet/dashboard'
import { systemClock } from '@avocet/core/store'
import type { Browser, Page } from 'playwright-core'
import { stillShelf } from '../../packages/dashboard/test/still-crawl.ts'
import { hasChromium, startBrowser } from '../../test/ui/browsed-crawl.ts'

/** What was counted. */
export interface BrowserFigures {
  readonly updateFrames: number
  readonly scrollFrames: number
  readonly firstPaintMs: number
}

const SECONDS = 4

/** Counts frames for some seconds, and scrolls meanwhile. */
const COUNTED = (perFrame: number): string => `new Promise((done) => {
  const region = document.querySelector('.scroll')
  const from = performance.now()
  let frames = 0
  const next = (now) => {
    frames++
    region.scrollTop += ${perFrame}
    if (now - from < ${SECONDS} * 1000) requestAnimationFrame(next)
    else done(Math.round(frames / ((now - from) / 1000)))
  }
  requestAnimationFrame(next)
})`

/** Undefined where there is no browser. */
export async function browserFigures(): Promise<BrowserFigures | undefined> {
  if (!hasChromium) return undefined
  const browser = await startBrowser()
  try {
    const changing = await counted(browser, 800, 0)
    const scrolled = await counted(browser, 100_000, 120)
    return { updateFrames: changing.frames, scrollFrames: scrolled.frames, firstPaintMs: changing.firstPaintMs }
  } finally {
    await browser.close()
  }
}

async function counted(
  browser: Browser,
  hosts: number,
  perFrame: number,
): Promise<{ readonly frames: number; readonly firstPaintMs: number }> {
  const clock = systemClock()
  const dashboard = await startDashboard({ shelf: changingShelf(hosts), clock })
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } })
  try {
    // The second time, as of who looks often: the first one compiles.
    for (const _time of [1, 2]) {
      await page.goto('about:blank')
      await page.goto(`${dashboard.link}#/still/hosts`)
      await page.waitForSelector('a.host')
    }
    return { firstPaintMs: await firstPaint(page), frames: await page.evaluate<number>(COUNTED(perFrame)) }
  } finally {
    await page.close()
    await dashboard.close()
  }
}

async function firstPaint(page: Page): Promise<number> {
  return Math.round(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"))
}

/** Each row is another one each time. */
function changingShelf(hosts: number): CrawlShelf {
  const shelf = stillShelf({ hosts, clock: systemClock() })
  let turn = 0
  return {
    crawls: () => shelf.crawls(),
    async crawl(id) {
      const shown = await shelf.crawl(id)
      if (shown === undefined) return undefined
      const { source, steering } = shown
      return {
        steering,
        source: {
          ...source,
          async hosts(wish) {
            turn++
            const found = await source.hosts(wish)
            return {
              ...found,
              rows: found.rows.map((row, n) => ({
                ...row,
                waiting: turn + n,
              })),
            }
          },
        },
      }
    },
  }
}
