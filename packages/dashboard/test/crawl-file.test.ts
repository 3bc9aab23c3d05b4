// A crawl as one file: what is in it, how large it is, and that a browser shows it without any server.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '@avocet/core/store'
import { crawlFile, type CrawlSource } from '@avocet/dashboard'
import { NotedSteering, stillShelf } from './still-crawl.ts'

const CHROMIUM = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

async function sourceOf(hosts: number, text = 'tea'): Promise<CrawlSource> {
  const shelf = stillShelf({ hosts, text, steering: new NotedSteering(), clock: systemClock() })
  const shown = await shelf.crawl('still')
  if (shown === undefined) throw new Error('no crawl')
  return shown.source
}

interface Content {
  readonly first: object
  readonly views: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

function contentOf(html: string | undefined): Content {
  const [, packed = ''] = /<script type="text\/plain" id="file">([^<]*)</.exec(html ?? '') ?? []
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as Content
}

it('has every host in its table, and a view of its own for as many as are wanted', async () => {
  const { first, views } = contentOf(await crawlFile({ crawl: 'still', source: await sourceOf(150), hosts: 3 }))

  expect(first).toEqual({ view: 'now', crawl: 'still', key: '' })
  expect(Object.keys(views).filter((name) => name.startsWith('host '))).toHaveLength(3)
  expect(views['hosts ']).toMatchObject({ hosts: { total: 150 }, offers: [] })
  expect((views['hosts ']?.['hosts'] as { readonly keys: readonly string[] } | undefined)?.keys).toHaveLength(150)
})

it('of 800 hosts is at most 300 kB, and loads nothing', async () => {
  const html = (await crawlFile({ crawl: 'still', source: await sourceOf(800) })) ?? ''

  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(300_000)
  expect(html).toContain("default-src 'none'")
  expect(html.replace(/<script type="module">[^]*/, '')).not.toMatch(/<link rel="stylesheet"|\bsrc=|@import|url\((?!data:)/)
})

it('for the owner of a host has that host alone', async () => {
  const source = await sourceOf(3)
  const { first, views } = contentOf(await crawlFile({ crawl: 'still', source, host: 'host-1.example' }))

  expect(first).toEqual({ view: 'politeness', crawl: 'still', key: 'host-1.example' })
  expect(Object.keys(views)).toEqual(['politeness host-1.example'])
  expect(await crawlFile({ crawl: 'still', source: { ...source, politeness: async () => undefined }, host: 'x' })).toBeUndefined()
})

it.runIf(existsSync(CHROMIUM))(
  'is shown by a browser from the disk: every view, sorted and searched, with nothing to press',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avocet-file-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'crawl.html')
    await writeFile(path, (await crawlFile({ crawl: 'still', source: await sourceOf(120, '</script><b>') })) ?? '')
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
    expect(await page.locator('.page-head .actions button').count()).toBe(1)
    await page.evaluate(`location.hash = '#/still/url/x'`)
    await page.waitForSelector('text=This is not in the file')
    expect(errors).toEqual([])
  },
  60_000,
)
