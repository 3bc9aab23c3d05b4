// The page of a crawl in two processes: what their store says.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CrawlHead, NowPicture } from '@avocet/dashboard'
import { spawnCli } from '../run-cli.ts'
import { linkOf, openPage, type ShownParts } from '../ui/read-page.ts'
import { judgedSite, judgedSpider, type JudgedSite } from './judged-site.ts'

/** Six that answer, and one that asks to wait for ten minutes: so the crawl goes on while it is looked at. */
const HOSTS = 7
const PAGES = 20
const DONE = 6 * PAGES

let folder: string
let site: JudgedSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-processes-page-'))
  await writeFile(join(folder, 'spider.mjs'), judgedSpider(HOSTS))
  await writeFile(join(folder, 'package.json'), '{}')
  site = await judgedSite(PAGES, 10, (host) => (host === '127.0.1.7' ? { retryAfter: 600 } : undefined))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('the page of a crawl in two processes has what both have done', { timeout: 60_000 }, async () => {
  let seen: Promise<ShownParts> | undefined
  const pace = ['--rate', 'fixed', '--delay', '0', '--ignore-robots', '--max-per-host', '1', '--processes', '2']

  await spawnCli(['crawl', 'spider.mjs', '-a', `port=${site.port}`, '--ui', ...pace], {
    folder,
    meanwhile(child) {
      const look = async (): Promise<ShownParts> => {
        await using page = await openPage(await linkOf(child))
        return await page.shown(
          { view: 'now', crawl: 'judged' },
          ({ totals }) => (totals as NowPicture | undefined)?.done === DONE,
        )
      }
      seen = look().finally(() => {
        child.kill('SIGKILL')
        // Its processes finish what is in flight.
        site.close()
      })
    },
  })

  const { totals, head } = (await seen) as { readonly totals: NowPicture; readonly head: CrawlHead }
  expect(totals).toMatchObject({ processes: 2, items: DONE })
  expect(head.phase).toBe('elsewhere')
})
