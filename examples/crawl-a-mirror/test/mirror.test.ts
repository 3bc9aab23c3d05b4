// A crawl of a mirror: its files are its pages, and what is no file is a page that is not there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier } from 'avocet'
import { VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { mirror } from '../mirror.ts'
import mirrored from '../spider.ts'

it('follows the links of the files, and reads nothing outside of the folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-mirror-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'mirror/shop.example/teas'), { recursive: true })
  const links = ['teas/green.html', 'list?page=2', 'gone.html', '%2e%2e%2fsecret.html'].map((url) => `<a href="${url}">x</a>`)
  writeFileSync(join(folder, 'mirror/shop.example/index.html'), `<title>Front</title>${links.join('')}`)
  writeFileSync(join(folder, 'mirror/shop.example/teas/green.html'), '<title>Green</title>')
  writeFileSync(join(folder, 'mirror/shop.example/list?page=2'), '<title>Second</title>')
  writeFileSync(join(folder, 'mirror/secret.html'), '<title>Secret</title>')

  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const parts = { clock, frontier, fetcher: mirror(join(folder, 'mirror')) }
  const report = await clock.run(() =>
    crawl({ spider: mirrored({}), policies: [], hosts: { '*': { delayMs: 0 } }, ...parts }).run(),
  )

  const items = await frontier.reader.items({ afterSeq: 0, limit: 9 })
  const titles = items.map(({ json }) => (JSON.parse(json) as { readonly title: string }).title)
  expect(titles.toSorted()).toEqual(['Front', 'Green', 'Second'])
  expect(report.failures).toEqual([{ reason: 'http-404', count: 2 }])
})
