// A page that a crawl visits again and again, in a browser: its price is seen to change, with what it was before.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../packages/cli/test/run-cli.ts'
import { hasChromium, shopWithPage, startBrowser } from './browsed-crawl.ts'

let browser: Browser
beforeAll(async () => {
  if (hasChromium) browser = await startBrowser()
})
afterAll(() => browser?.close())

/** The newest change that is shown, as `before → after`. */
async function newestChange(page: Page): Promise<string> {
  return page.locator('.visits .is-changed >> nth=0').locator('dd >> nth=0').innerText()
}

/** All of them, the oldest first. */
async function changesShown(page: Page): Promise<string> {
  const texts = await page.locator('.visits .is-changed dl').allInnerTexts()
  return texts
    .map((text) => text.split('\n').at(-1))
    .toReversed()
    .join(', ')
}

/** The prices of a page that were another than the one before, by its items in the output: `before → after`. */
function changesIn(folder: string, url: string): readonly string[] {
  const lines = readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n')
  const items = lines.map(
    (line) => JSON.parse(line) as { readonly url: string; readonly offers: readonly [{ readonly price: string }] },
  )
  const prices = items.filter((item) => item.url === url).map(({ offers: [{ price }] }) => price)
  return prices.flatMap((price, index) => (index > 0 && prices[index - 1] !== price ? [`${prices[index - 1]} → ${price}`] : []))
}

describe.skipIf(!hasChromium)('the page of a URL that is visited again', () => {
  it('shows what changed as it changes, in any width, and as the terminal tells it', async () => {
    await using served = await shopWithPage()
    const page = await (await browser.newContext()).newPage()
    await page.goto(served.link)
    await page.getByRole('link', { name: 'Items' }).click()
    await page.locator('.cards .url a').first().click()
    await page.waitForSelector('.visits .is-changed', { timeout: 20_000 })
    const url = decodeURIComponent(page.url().split('/').at(-1) ?? '')

    for (const width of [400, 1_400]) {
      await page.setViewportSize({ width, height: 900 })
      const before = await newestChange(page)
      await expect.poll(() => newestChange(page), { timeout: 15_000 }).not.toBe(before)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(await page.evaluate<number>(SCROLLED)).toBe(0)
    }
    expect(await page.locator('.visits .is-changed dt >> nth=0').innerText()).toBe('offers[0].price')
    expect(await page.locator('.panel:has(.visits)').innerText()).toContain('later moment in each visit: seenAt')

    // Nothing changes any more, once what was in flight has ended.
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.waitForSelector('text=Paused: by an operator')
    const written = (): string => changesIn(served.folder, url).join(', ')
    const isTold = async (): Promise<boolean> => (await changesShown(page)) === written()
    await expect.poll(isTold, { timeout: 10_000 }).toBe(true)
    expect(await changesShown(page)).toBe(written())
    const [newest = ''] = changesIn(served.folder, url).slice(-1)
    expect(await page.locator('.panel:has(.brought)').innerText()).toContain(`"price":"${newest.split(' → ')[1]}"`)
    const { stdout } = await runCli(['why', url, 'shop'], { folder: served.folder })
    expect(stdout).toContain(`offers[0].price: ${newest.replace('→', '->')}`)
  }, 90_000)
})

/** Panels whose content is wider than they are. */
const SCROLLED = `[...document.querySelectorAll('.panel-body')].filter((each) => each.scrollWidth > each.clientWidth).length`
