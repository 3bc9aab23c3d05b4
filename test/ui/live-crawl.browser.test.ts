// The page of a crawl that runs: every panel shows what goes on, and every action that there is changes the crawl.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quotes, roughForty } from '@avocet/simulator'
import { readServedLog, spawnRoughWeb } from '@avocet/stress/rough-web'
import { fileContent } from '../../packages/cli/test/file-content.ts'
import { runCli } from '../../packages/cli/test/run-cli.ts'
import { crawlWithPage, hasChromium, servedPage, startBrowser, type ServedPage } from './browsed-crawl.ts'

let browser: Browser
beforeAll(async () => {
  if (hasChromium) browser = await startBrowser()
})
afterAll(() => browser?.close())

/** A number as the page writes it. */
async function figure(page: Page, name: string): Promise<number> {
  const text = await page
    .locator('.figure', { has: page.locator(`dt:text-is("${name}")`) })
    .locator('dd')
    .first()
    .innerText()
  return Number(text.split('\n')[0]?.replaceAll(',', ''))
}

async function opened(served: ServedPage): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(served.link)
  return page
}

async function says(page: Page, text: string): Promise<void> {
  await page.waitForSelector(`[role=status]:has-text("${text}")`)
}

/** Slow enough that it does not end while it is looked at. */
const SLOW = ['--delay', '700ms', '--patience', '10m']

describe.skipIf(!hasChromium)('the page of a crawl of the rough web', () => {
  it('shows it in every view while it goes on', async () => {
    await using served = await crawlWithPage({ world: roughForty(), words: SLOW })
    const page = await opened(served)

    // Now: numbers grow, charts are drawn, waits have their reasons.
    await page.waitForSelector('.chart canvas', { timeout: 45_000 })
    await page.waitForSelector('text=open after connect-refused')
    const done = await figure(page, 'done')
    await expect.poll(() => figure(page, 'done'), { timeout: 10_000 }).toBeGreaterThan(done)
    expect(await page.title()).toBe('now – demo – Avocet')

    // Its card counts as its views do.
    await page.evaluate("location.hash = '#/'")
    await page.waitForSelector('.crawls li:has-text("40 hosts"):has-text("Running")')
    await page.goBack()
    await page.waitForSelector('.view-now')

    // Hosts: all of them, and those that are unreachable.
    await page.getByRole('link', { name: 'Hosts' }).click()
    await page.waitForSelector('text=40 hosts')
    await page.waitForSelector('tr:has-text("unreachable")')
    await page.getByLabel('State').selectOption('unreachable')
    await page.waitForSelector('text=of 40 hosts')
    expect(await page.locator('tbody .chip.is-fine').count()).toBe(0)
    await page.goBack()
    await page.waitForSelector('.view-now')

    // One host: what holds it by whose word, its story.
    await page.evaluate("location.hash = '#/demo/hosts?search=127.42.0.25'")
    await page.locator('a.host').first().click()
    await page.waitForSelector('.story')
    expect(await page.locator('.story').innerText()).toContain('policies')

    // Items as they come, and the page of one with the way that led to it.
    await page.getByRole('link', { name: 'Items' }).click()
    await page.waitForSelector('.cards li')
    const newest = await page.locator('.cards li').first().innerText()
    await expect.poll(() => page.locator('.cards li').first().innerText(), { timeout: 10_000 }).not.toBe(newest)
    await page.locator('.cards .url a').first().click()
    await page.waitForSelector('.view-url .story:has-text("done")')

    // Failed, and the page for the owner of a host.
    await page.getByRole('link', { name: 'Failed' }).click()
    await page.waitForSelector('text=http-404')
    await page.evaluate("location.hash = location.hash.replace('failures', 'hosts') + '?search=127.42.0.25'")
    await page.locator('a.host').first().click()
    await page.getByRole('link', { name: 'For its owner' }).click()
    await page.waitForSelector('text=What the host asked for')
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save to send' }).click()])
    const views = fileContent(readFileSync((await file.path()) ?? '', 'utf8'))
    expect(JSON.stringify(views)).toContain('avocet-demo')
    expect(Object.keys(views)).toEqual([expect.stringMatching(/^politeness /)])
  }, 120_000)

  it('pauses, resumes, retries and stops it', async () => {
    const log = join(mkdtempSync(join(tmpdir(), 'avocet-ui-log-')), 'log')
    // A page that waits again stands behind the 60 of its host, so that these are soon done; the hosts that hang go on.
    await using served = await crawlWithPage({ world: roughForty(), words: ['--delay', '250ms', '--patience', '10m'], log })
    const page = await opened(served)
    await expect.poll(() => figure(page, 'done'), { timeout: 10_000 }).toBeGreaterThan(20)

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.waitForSelector('text=Paused: by an operator')
    await page.waitForSelector('dl.pairs dd >> nth=0 >> text="0"', { timeout: 60_000 })
    // A request that was given up is logged late, with the moment at which it came.
    const pausedAt = Date.now()
    const since = (moment: number): number => readServedLog(log).filter(({ at }) => at > moment).length
    for (const name of ['Hosts', 'Items', 'Now']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.waitForSelector(name === 'Now' ? '.view-now .figures' : name === 'Hosts' ? 'a.host' : '.cards li')
    }
    expect(since(pausedAt)).toBe(0)

    const resumedAt = Date.now()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.waitForSelector('.chip.is-running')
    await expect.poll(() => since(resumedAt), { timeout: 20_000 }).toBeGreaterThan(20)

    // A page that was given up is asked again, in this run.
    await page.getByRole('link', { name: 'Failed' }).click()
    const url = new URL(
      await page
        .locator('table .url a.out')
        .first()
        .getAttribute('href')
        .then((href) => href ?? ''),
    )
    // It answers 404, so that no host is asked for it twice but for this, or because it has refused it.
    const times = (): number => {
      const hosts = readServedLog(log).flatMap(({ path, host, status }) =>
        path === url.pathname && status === 404 ? [host] : [],
      )
      return Math.max(...hosts.map((host) => hosts.filter((each) => each === host).length))
    }
    expect(times()).toBe(1)
    await page.getByRole('button', { name: `Retry ${url.href}` }).click()
    await says(page, '1 page waits again')
    await expect.poll(times, { timeout: 60_000 }).toBe(2)
    // Dropped, it is neither listed with those of its class nor asked again.
    await page.getByRole('button', { name: `Drop ${url.href}` }).click()
    await says(page, '1 page dropped')
    await page.waitForSelector('section:has(h2:text-is("dropped: 1 page")) button:text-is("Retry")')
    expect(await page.getByRole('button', { name: `Drop ${url.href}` }).count()).toBe(0)
    expect(times()).toBe(2)

    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Stop once requests' }).click()
    await page.waitForSelector('text=the command has ended', { timeout: 20_000 })
    expect(served.said()).toContain('stopped')
    expect(served.said()).toMatch(/avocet ui \S+\n/)
    rmSync(join(log, '..'), { recursive: true, force: true })
  }, 180_000)

  it('pauses, limits and forgets a host, and adds URLs', async () => {
    const log = join(mkdtempSync(join(tmpdir(), 'avocet-ui-log-')), 'log')
    await using served = await crawlWithPage({ world: roughForty(), words: SLOW, log })
    const page = await opened(served)
    await expect.poll(() => figure(page, 'done'), { timeout: 10_000 }).toBeGreaterThan(20)
    await page.evaluate("location.hash = '#/demo/hosts?search=127.42.0.25'")
    await page.locator('a.host').first().click()
    const host = decodeURIComponent(page.url().split('/').at(-1) ?? '')

    await page.getByRole('button', { name: 'Pause this host' }).click()
    await says(page, 'paused until it is resumed')
    await page.waitForSelector('text=operator')
    const before = await figure(page, 'done')
    await page.getByLabel('Seconds between two requests').fill('0.1')
    await page.getByRole('button', { name: 'Set limits' }).click()
    await says(page, 'at least 100 ms between requests')
    expect(await figure(page, 'done')).toBeLessThanOrEqual(before + 1)
    await page.getByRole('button', { name: 'Forget what was learned' }).click()
    await page.getByRole('button', { name: 'Forget', exact: true }).click()
    await says(page, 'what was learned of it is discarded')
    await page.getByRole('button', { name: 'Resume this host' }).click()
    await says(page, 'resumed')
    await expect.poll(() => figure(page, 'done'), { timeout: 20_000 }).toBeGreaterThan(before + 1)

    await page.getByRole('button', { name: 'Add URLs' }).click()
    await page.getByLabel('URLs, one on each line').fill(`http://${host}/added-by-hand`)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await says(page, '1 URL added')
    await expect.poll(() => readServedLog(log).some(({ path }) => path === '/added-by-hand'), { timeout: 20_000 }).toBe(true)
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.waitForSelector('section:has(h2:text-is("Orders")) li:has-text("1 URL added")')
    rmSync(join(log, '..'), { recursive: true, force: true })
  }, 90_000)

  it('shows a crawl of several processes as its store has it, and pauses it', async () => {
    await using served = await crawlWithPage({ world: roughForty(), words: [...SLOW, '--processes', '2'] })
    const page = await opened(served)
    await expect.poll(() => figure(page, 'done'), { timeout: 20_000 }).toBeGreaterThan(20)
    await page.getByRole('link', { name: 'Hosts' }).click()
    await page.waitForSelector('text=40 hosts')
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.waitForSelector('section:has(h2:text-is("Orders")) li')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.waitForSelector('button:has-text("Pause")')
  }, 60_000)
})

describe.skipIf(!hasChromium)('avocet ui', () => {
  it('shows all crawls of a folder, at rest, and has given-up pages wait again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-ui-rest-'))
    const web = await spawnRoughWeb(quotes())
    const [seed = ''] = web.model.seeds()
    for (const name of ['one', 'two'])
      await runCli(['crawl', new URL('/none', seed).href, '--store', `.avocet/${name}.db`, '--delay', '10ms'], { folder })
    await web.close()
    await using served = await servedPage(['ui'], folder)
    const page = await opened(served)
    await page.waitForSelector('.crawls li >> nth=1')
    await page.locator('.crawls li a').nth(1).click()
    await page.waitForSelector('text=At rest')
    await page.getByRole('link', { name: 'Failed' }).click()
    await page.getByRole('button', { name: 'Drop all of class permanent' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForSelector('section:has(h2:text-is("permanent: 1 page"))')
    await page.getByRole('button', { name: 'Drop all of class permanent' }).click()
    await page.getByRole('button', { name: 'Drop', exact: true }).click()
    await says(page, '1 page dropped')
    await page.getByRole('button', { name: 'Retry all of class dropped' }).click()
    await says(page, '1 page waits again')
    await page.waitForSelector('text=Nothing has failed')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.waitForSelector('text=At rest, paused')
    expect((await runCli(['status', '.avocet/two.db'], { folder })).stdout).toContain('paused; avocet resume continues it')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.waitForSelector('button:has-text("Pause")')
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)
})
