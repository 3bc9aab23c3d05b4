// The page in a real browser, over a crawl that stands still: every view is free of what axe-core finds, and texts of the web stay texts.
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDashboard, type Dashboard, type LivePicture } from '@avocet/dashboard'
import { systemClock } from '@avocet/core/store'
import { NotedSteering, stillShelf, type StillWish } from './still-crawl.ts'

const CHROMIUM = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

const VIEWS: Readonly<Record<string, string>> = {
  crawls: '#/',
  now: '#/still/now',
  hosts: '#/still/hosts',
  host: '#/still/host/host-0.example',
  url: `#/still/url/${encodeURIComponent('http://a.example/x')}`,
  items: '#/still/items',
  failures: '#/still/failures',
  politeness: '#/still/politeness/host-0.example',
}
/** What each view has once it is there. */
const LANDMARKS: Readonly<Record<string, string>> = {
  crawls: '.crawls li',
  now: '.chart canvas',
  hosts: 'a.host',
  host: '.story',
  url: '.story',
  items: '.cards li',
  failures: 'table',
  politeness: 'table',
}

const HOSTILE = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>javascript:window.hit=1 "'\u202e\u0007\u0000&lt;`

let browser: Browser
beforeAll(async () => {
  if (existsSync(CHROMIUM)) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(() => browser?.close())

interface Opened extends AsyncDisposable {
  readonly page: Page
  readonly steering: NotedSteering
  /** Errors of the page, and what its policy refused. */
  readonly errors: string[]
}

async function opened(
  wish: Omit<StillWish, 'clock' | 'steering'> & { readonly hash?: string; readonly theme?: 'light' | 'dark' } = {},
): Promise<Opened> {
  const { hash = '#/still/now', theme = 'light', ...still } = wish
  const steering = new NotedSteering()
  const clock = systemClock()
  const dashboard: Dashboard = await startDashboard({ shelf: stillShelf({ ...still, steering, clock }), clock })
  const context = await browser.newContext({ colorScheme: theme })
  const page = await context.newPage()
  // So that a step that does not come is named.
  page.setDefaultTimeout(10_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(dashboard.link + hash)
  return {
    ...{ page, steering, errors },
    async [Symbol.asyncDispose]() {
      await context.close()
      await dashboard.close()
    },
  }
}

async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(VIEWS[view])}`)
  await page.waitForSelector(`.view-${view} ${LANDMARKS[view] ?? 'main'}`)
}

describe('the bundle', () => {
  it('is at most 120 kB gzipped, and asks no other server for anything', () => {
    const files = ['index.html', 'app.js', 'app.css'].map((name) =>
      readFileSync(new URL(`../dist/bundle/${name}`, import.meta.url)),
    )
    const bytes = files.reduce((sum, file) => sum + gzipSync(file).byteLength, 0)

    expect(bytes).toBeLessThan(120 * 1024)
    expect(files.join('').match(/(?:src|href|url\(|import|fetch\(|EventSource\()["'\s=(]*(?:https?:)?\/\/[\w.]+/g)).toBe(null)
  })
})

describe.skipIf(!existsSync(CHROMIUM))('the page', () => {
  it('takes its token out of the address, and keeps the view', async () => {
    await using at = await opened({ hash: '#/still/hosts' })
    await at.page.waitForSelector('a.host')

    expect(at.page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/still\/hosts$/)
  })

  it('says how long a crawl with nothing to do waits', async () => {
    await using at = await opened({ hash: '#/still/hosts' })
    await at.page.waitForSelector('a.host')

    expect(await at.page.textContent('.chip.is-running')).toMatch(/^Waiting: next request in \d/)
  })

  it.each(['light', 'dark'] as const)(
    'has nothing that axe-core finds in any view, %s',
    async (theme) => {
      await using at = await opened({ theme })
      // Past the policy, which lets no other script in: this one is ours.
      const found: string[] = []
      for (const view of Object.keys(VIEWS)) {
        await goTo(at.page, view)
        await at.page.evaluate(axe.source)
        const { violations } = await at.page.evaluate<AxeResults>('axe.run()')
        found.push(
          ...violations.map(({ id, nodes }) => `${view}: ${id} at ${nodes.map(({ html }) => html.slice(0, 120)).join(' ; ')}`),
        )
      }

      expect(found).toEqual([])
      expect(at.errors).toEqual([])
    },
    60_000,
  )

  it('shows texts of the web as texts, in every view', async () => {
    await using at = await opened({ text: HOSTILE })
    for (const view of Object.keys(VIEWS)) {
      await goTo(at.page, view)
      const seen = await at.page.evaluate<Seen>(SEEN)

      expect([view, seen.hit, seen.images, seen.scripts]).toEqual([view, undefined, 0, 1])
      expect(seen.links.filter(({ href }) => !/^https?:/.test(href))).toEqual([])
      expect(seen.links.filter(({ href, rel }) => !href.startsWith('http://127.0.0.1') && rel !== 'noreferrer noopener')).toEqual(
        [],
      )
      expect(seen.text).toContain('<script>window.hit=1</script>javascript:')
      expect(seen.text).toContain('\\u202e\\u0007\\u0000')
      expect(['\u202e', '\u0007', '\u0000'].filter((character) => seen.text.includes(character))).toEqual([])
    }
    expect(at.errors).toEqual([])
  }, 60_000)

  it('scrolls through 100,000 hosts with the rows of a screen', async () => {
    await using at = await opened({ hosts: 100_000, hash: '#/still/hosts' })
    const { page } = at
    await page.waitForSelector('a.host')
    await page.evaluate('document.querySelector(".scroll").scrollTop = 34 * 61803')
    await page.waitForSelector('text=host-61803.example')

    expect(await page.locator('tbody tr').count()).toBeLessThan(100)
    expect(await page.getAttribute('table.hosts', 'aria-rowcount')).toBe('100001')
    expect(await page.locator('tr', { hasText: 'host-61803.example' }).getAttribute('aria-rowindex')).toBe('61805')
  })

  it('keeps the focus on the button that pauses, which resumes then', async () => {
    await using at = await opened()
    const { page } = at
    await page.getByRole('button', { name: 'Pause', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status]:has-text("done: pause")')

    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^(Pause|Resume)$/)
  })

  it('keeps the URLs to add and says what is wrong with them, until they are accepted', async () => {
    await using at = await opened()
    const { page, steering } = at
    const field = page.getByLabel('URLs, one on each line')
    await page.getByRole('button', { name: 'Add URLs' }).click()
    await field.fill('https://a.example/\nnonsense')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.waitForSelector('dialog[open] [role=alert]:has-text("expected URLs")')
    expect(await field.inputValue()).toBe('https://a.example/\nnonsense')
    expect(steering.asked).toEqual([])

    await field.fill('https://a.example/')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.waitForSelector('[role=status]:has-text("done: add")')
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  })

  const PAUSED = { by: 'operator', why: 'paused', hosts: 2, until: null }
  it.each([
    ['of a host that is paused, when it goes on', { now: { waits: [PAUSED] } }, 'when it is resumed'],
    ['of a host that waits for an answer, the same', { now: { waits: [{ ...PAUSED, by: 'core' }] } }, 'after an answer'],
    ['of a crawl that is paused, that all of it is', { head: { pausedFor: 'by an operator' } }, 'The whole crawl is paused'],
    [
      'of a store that others crawl, no more than is known',
      { now: { live: null, waits: [] } },
      'No order pauses a host. What else',
    ],
    ['of a crawl that waits for nothing, that it does', { now: { waits: [] } }, 'Nothing waits for longer than its pace.'],
  ])('says %s', async (_what, wish: Omit<StillWish, 'clock'>, words) => {
    await using at = await opened(wish)
    const panel = at.page.locator('section', { has: at.page.locator('h2:text-is("What waits, and why")') })

    await expect.poll(() => panel.innerText()).toContain(words)
    if (!words.startsWith('Nothing')) expect(await panel.innerText()).not.toContain('Nothing waits')
  })

  it.each([360, 1_400, 3_840])('fits into a window of %i px, and no figure is cut off', async (width) => {
    const live = { ...LIVE, restMs: 777_000 }
    await using at = await opened({ now: { live } })
    await at.page.setViewportSize({ width, height: Math.round(width * 0.56) })
    for (const view of ['now', 'host', 'hosts', 'url']) {
      await goTo(at.page, view)
      const { over, cut, letters } = await at.page.evaluate<Fit>(FIT)

      expect([view, over, cut]).toEqual([view, 0, []])
      expect(letters).toBe(width < 2_000 ? 14 : 23.808)
    }
  })

  it('says in 400 px why a host is what it is', async () => {
    await using at = await opened({ hash: '#/still/hosts' })
    await at.page.setViewportSize({ width: 400, height: 900 })
    await at.page.waitForSelector('a.host')

    expect(await at.page.locator('table.hosts th:visible').allInnerTexts()).toEqual(['Host', 'State', 'Why'])
  })

  it('tells visit by visit what changed, and what the newest one brought', async () => {
    await using at = await opened({ text: 'price' })
    await goTo(at.page, 'url')
    const textOf = (title: string): Promise<string> =>
      at.page.locator('section', { has: at.page.locator(`h2:text-is("${title}")`) }).innerText()

    const visits = await textOf('Visits of price (request 2)')
    expect(visits.split(/\n+/)).toEqual([
      ...['Visits of price (request 2)', '6 visits', 'Visits 5 – 6: no change, 1 of them without items'],
      expect.stringMatching(/^Visit 4 \d+ \w+, \d\d:\d\d – \d\d:\d\d$/),
      ...['price', 'price', 'price → price 2', 'a', 'price 2 new', 'b', 'price gone', 'and 3 more fields'],
      ...['new: price', 'price', 'price 2', 'gone:', 'item', 'price', 'and 1 more item'],
      ...['Visit 3 when is not known', 'Older visits are not shown.'],
      'Not compared, for it is a later moment in each visit: price',
    ])
    expect((await textOf('What visit 4 brought of price (request 2)')).split(/\n+/).slice(1)).toEqual([
      ...['price', 'price', 'price 2', 'and 7 more items'],
    ])
  })

  it.each([400, 1_400])('fits into %i px also with names and values without a break', async (width) => {
    await using at = await opened({ text: 'm'.repeat(160) })
    await at.page.setViewportSize({ width, height: 900 })
    await goTo(at.page, 'url')
    await at.page.waitForSelector('.visits .is-changed')

    expect(await at.page.evaluate(NARROW)).toEqual({ over: 0, scrolled: [], narrow: [] })
  })

  it('retries and drops failed pages from each view, and asks first where it is more than one page', async () => {
    await using at = await opened()
    const { page, steering } = at
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
    const done = (kind: string): Promise<unknown> => page.waitForSelector(`[role=status]:has-text("done: ${kind}")`)

    await goTo(page, 'host')
    await press('Drop its failed pages')
    await page.waitForSelector('dialog[open]:has-text("Drop all failed pages of host-0.example")')
    await press('Cancel')
    await page.waitForSelector('dialog[open]', { state: 'detached' })
    expect(steering.asked).toEqual([])
    await press('Drop its failed pages')
    await press('Drop')
    await done('drop')
    await press('Retry its failed pages')
    await done('reopen')
    await press('Forget what was learned')
    // What changes nothing has the focus.
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog[open]', { state: 'detached' })
    await press('Forget what was learned')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await done('forget-host')
    await goTo(page, 'url')
    await press('Drop')
    await done('drop')
    await press('Retry')
    await done('reopen')
    await goTo(page, 'failures')
    await page.getByRole('button', { name: /^Drop http/ }).click()
    await done('drop')

    expect(steering.asked).toEqual([
      { kind: 'drop', hostKey: 'host-0.example' },
      { kind: 'reopen', hostKey: 'host-0.example' },
      { kind: 'forget-host', hostKey: 'host-0.example' },
      { kind: 'drop', url: 'http://a.example/x' },
      { kind: 'reopen', url: 'http://a.example/x' },
      { kind: 'drop', url: 'http://a.example/a text' },
    ])
  })

  it('has no button to drop what is dropped', async () => {
    await using at = await opened({ text: 'dropped-http-404' })
    await goTo(at.page, 'url')

    expect(await at.page.getByRole('button', { name: 'Retry', exact: true }).count()).toBe(1)
    expect(await at.page.getByRole('button', { name: 'Drop', exact: true }).count()).toBe(0)
  })

  it('can be used with the keyboard alone', async () => {
    await using at = await opened()
    const { page, steering } = at
    await page.waitForSelector('.chart canvas')

    await page.getByRole('button', { name: 'Pause', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status]:has-text("done: pause")')
    await page.getByRole('link', { name: 'Hosts' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('a.host')
    await page.getByLabel('Find hosts').focus()
    await page.keyboard.type('host-1')
    await page.waitForSelector('text=1 of 3 hosts')
    // Two choices, the table, and its first host.
    for (let n = 0; n < 4; n++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.view-host .story')
    expect(page.url()).toContain('#/still/host/host-1.example')

    await page.getByRole('button', { name: 'Pause for an hour' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status]:has-text("done: pause-host")')
    await page.getByLabel('Seconds between two requests').focus()
    await page.keyboard.type('2.5')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status]:has-text("done: limit-host")')
    await page.goBack()
    await page.waitForSelector('a.host')
    await page.getByRole('button', { name: 'Add URLs' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('URLs, one on each line').focus()
    await page.keyboard.type('https://a.example/ https://b.example/')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status]:has-text("done: add")')
    await page.getByRole('button', { name: 'Stop' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stop once requests' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status]:has-text("done: stop")')

    expect(steering.asked).toMatchObject([
      { kind: 'pause' },
      { kind: 'pause-host', hostKey: 'host-1.example' },
      { kind: 'limit-host', hostKey: 'host-1.example', limits: { maxRps: 0.5, maxInFlight: null, delayMs: 2_500 } },
      { kind: 'add', seeds: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }] },
      { kind: 'stop' },
    ])
  })
})

/** What there is in a page, for `evaluate`: the browser's names are not known here. */
const SEEN = `({
  hit: globalThis.hit,
  images: document.images.length,
  scripts: document.scripts.length,
  links: [...document.links].map(({ href, rel }) => ({ href, rel })),
  text: document.body.innerText,
})`

/** What hangs over: px of the page beyond the window, and texts beyond their boxes. */
const FIT = `({
  over: document.documentElement.scrollWidth - innerWidth,
  cut: [...document.querySelectorAll('.figure, .figure dd, .panel > header, .choice')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1)
    .map((each) => each.textContent),
  letters: Number.parseFloat(getComputedStyle(document.body).fontSize),
})`

/** The same of panels of a page, whose bodies may scroll, and values that have no room beside their names. */
const NARROW = `({
  over: document.documentElement.scrollWidth - innerWidth,
  scrolled: [...document.querySelectorAll('.panel-body')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent),
  narrow: [...document.querySelectorAll('.visits dd, .brought dd')].filter((each) => each.clientWidth < 120).map((each) => each.textContent),
})`

interface Fit {
  readonly over: number
  readonly cut: readonly string[]
  readonly letters: number
}

const LIVE: LivePicture = {
  ...{ pagesPerSecond: 1_234, averagePagesPerSecond: 1_234, inFlight: 4, slots: 100, handlersRunning: 1, connections: 5 },
  ...{ liveHosts: 3, heldHosts: 1, requests: 90_000, refusals: 2, retried: 1, wireBytes: 255_700, restMs: 90_000 },
}

interface Seen {
  readonly hit?: unknown
  readonly images: number
  readonly scripts: number
  readonly links: readonly { readonly href: string; readonly rel: string }[]
  readonly text: string
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}
