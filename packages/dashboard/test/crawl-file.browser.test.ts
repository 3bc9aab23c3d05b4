// A crawl as one file: a browser shows it without any server.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '@avocet/core/store'
import { crawlFile, type CrawlSource } from '@avocet/dashboard'
import { NotedSteering, stillShelf } from './still-crawl.ts'

const CHROMIUM = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

async function source(): Promise<CrawlSource> {
  const shelf = stillShelf({ hosts: 120, text: '</script><b>', steering: new NotedSteering(), clock: systemClock() })
  const shown = await shelf.crawl('still')
  if (shown === undefined) throw new Error('no crawl')
  return shown.source
}

it.runIf(existsSync(CHROMIUM))(
  'is shown by a browser from the disk: every view, sorted and searched, with nothing to press',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avocet-file-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'crawl.html')
    await writeFile(path, (await crawlFile({ crawl: 'still', source: await source() })) ?? '')
    await using browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('request', (request) => request.url().startsWith('file:') || errors.push(request.url()))

    await page.goto(`file://${path}`)
    await page.waitForSelector('.view-now .figures')
    for (const [view, mark] of [
      ['items', '.cards li'],
      ['failures', 'table'],
      ['host/host-0.example', '.story'],
      ['politeness/host-0.example', 'table'],
      ['hosts?search=host-11', 'a.host'],
    ]) {
      await page.evaluate(`location.hash = '#/still/${view ?? ''}'`)
      await page.waitForSelector(`main ${mark ?? ''}`)
    }

    expect(await page.locator('a.host').count()).toBe(11)
    expect(await page.locator('.page-head .actions button').count()).toBe(0)
    await page.evaluate(`location.hash = '#/still/url/x'`)
    await page.waitForSelector('text=This is not in the file')
    expect(errors).toEqual([])
  },
  60_000,
)
