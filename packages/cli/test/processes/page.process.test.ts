// The page of a crawl in two processes, which shows what that of one process shows: refusals, latencies, and the last exchanges of a host with their decisions.
import { readFileSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ExchangeLine, HostLine, HostPicture, LivePicture, NowPicture, WaitGroup } from '@avocet/dashboard'
import { spawnCli } from '../run-cli.ts'
import { linkOf, openPage, type OpenPage, type ShownParts } from '../ui/read-page.ts'
import { judgedSite, judgedSpider, type JudgedSite } from './judged-site.ts'

/** Six that answer, and one that asks to wait for ten minutes: so the crawl goes on while it is looked at. */
const HOSTS = 7
const PAGES = 20
/** The last page of the sixth host never ends, so that the host is at work: after one for each page, and a refusal. */
const ENDLESS = PAGES + 1
const DONE = 6 * PAGES - 1
/** Page 3 of six hosts once, and the seventh. */
const REFUSALS = 6 + 1
/** Exchanges. */
const ENDED = DONE + REFUSALS

/** A plugin that knows of a host what no store has. */
const CONFIG = `export default { plugins: [{ name: 'holder', explain: ({ host }) => ({ inFlight: host.inFlight }) }] }`

let folder: string
let site: JudgedSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-processes-page-'))
  await writeFile(join(folder, 'spider.mjs'), judgedSpider(HOSTS))
  await writeFile(join(folder, 'package.json'), '{}')
  await writeFile(join(folder, 'avocet.config.mjs'), CONFIG)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function startSite(): Promise<JudgedSite> {
  return judgedSite(PAGES, 10, ({ host, page, times, nth }) => {
    if (host === '127.0.1.7') return { retryAfter: 600 }
    if (host === '127.0.1.6' && nth === ENDLESS) return 'endless'
    return page === 3 && times === 1 ? { retryAfter: 1 } : undefined
  })
}

function hostKey(n: number): string {
  return `127.0.1.${n}:${site.port}`
}

/** Crawls in so many processes, and looks at the page. */
async function crawled(processes: number, look: (page: OpenPage, child: ChildProcess) => Promise<void>): Promise<void> {
  site = await startSite()
  let looked: Promise<void> | undefined
  const looking = async (child: ChildProcess): Promise<void> => {
    await using page = await openPage(await linkOf(child))
    await look(page, child)
  }
  const pace = ['--rate', 'fixed', '--delay', '0', '--ignore-robots', '--max-per-host', '1', '--processes', `${processes}`]
  await spawnCli(['crawl', 'spider.mjs', '-a', `port=${site.port}`, '--ui', '--fresh', '--yes', ...pace], {
    folder,
    meanwhile(child) {
      looked = looking(child).finally(() => {
        child.kill('SIGKILL')
        // Its processes finish what is in flight.
        site.close()
      })
      // A test that failed says so below.
      looked.catch(() => undefined)
    },
  })
  await looked
}

/** The crawl once nothing more happens: all pages are done that will be, and what other processes were asked a second ago says so too. */
function settled(page: OpenPage): Promise<ShownParts> {
  return page.shown({ view: 'now', crawl: 'judged' }, ({ totals, live, waits }) => {
    const { done } = (totals ?? {}) as Partial<NowPicture>
    const { inFlight } = (live ?? {}) as Partial<LivePicture>
    return done === DONE && inFlight === 1 && (waits as readonly WaitGroup[]).length === 1
  })
}

/** One host, once its exchanges are there. */
function host(page: OpenPage, n: number): Promise<ShownParts> {
  const isThere = ({ exchanges }: ShownParts): boolean => ((exchanges ?? []) as readonly unknown[]).length > 0
  return page.shown({ view: 'host', crawl: 'judged', key: hostKey(n) }, isThere)
}

/** What was drawn of the last minutes: `[at, requests, refusals, failures, half, nine in ten]`. */
function drawn(parts: ShownParts): readonly (readonly number[])[] {
  const chunks = Object.entries(parts).filter(([name]) => /^(?:lately|series) \d/.test(name))
  return chunks.flatMap(([, points]) => points as readonly (readonly number[])[])
}

/** Requests, refusals and failures in all. */
function sumsOf(parts: ShownParts): readonly number[] {
  return [1, 2, 3].map((column) => drawn(parts).reduce((sum, point) => sum + (point[column] ?? 0), 0))
}

/** What the page shows, without what is never the same twice. */
async function seenIn(page: OpenPage): Promise<unknown> {
  const now = await settled(page)
  const { requests, refusals, inFlight, retried } = now['live'] as LivePicture
  const hosts = await page.shown({ view: 'hosts', crawl: 'judged' }, (parts) => {
    const row = parts[`row ${hostKey(6)}`] as HostLine | undefined
    return row?.inFlight === 1 && row.recent.length > 0
  })
  const third = await host(page, 3)
  const sixth = (await host(page, 6))['host'] as HostPicture
  return {
    ...{ requests, refusals, inFlight, retried },
    lately: sumsOf(now),
    waits: (now['waits'] as readonly WaitGroup[]).map(({ by, why, hosts: held }) => [by, why, held]),
    rows: [6, 7].map((n) => {
      const { state, inFlight: flying, recent, hold, breaker } = hosts[`row ${hostKey(n)}`] as HostLine
      return [state, flying, recent.reduce((sum, answers) => sum + answers, 0), hold?.by, breaker]
    }),
    exchanges: (third['exchanges'] as readonly ExchangeLine[])
      .map(({ url, how, verdict }) => [new URL(url).pathname, how, verdict.replace(/\d\S* m?s/, '…')].join(' '))
      .toSorted(),
    series: sumsOf(third),
    sixth: sixth.known.filter(({ by }) => by === 'holder'),
  }
}

describe('the page of a crawl in two processes', { timeout: 60_000 }, () => {
  it('shows what the page of one process shows of the same crawl', async () => {
    const seen: unknown[] = []
    for (const processes of [1, 2]) await crawled(processes, async (page) => void seen.push(await seenIn(page)))

    const [ofOne, ofTwo] = seen
    expect(ofTwo).toEqual(ofOne)
    expect(ofTwo).toMatchObject({
      ...{ requests: ENDED + 1, refusals: REFUSALS, inFlight: 1, lately: [ENDED, REFUSALS, 0] },
      ...{ series: [PAGES + 1, 1, 0], sixth: [{ by: 'holder', facts: 'in flight 1' }] },
    })
    expect(ofTwo).toHaveProperty(
      'exchanges',
      expect.arrayContaining(['/3 429 again in …: http-429 (fixed-delay)', '/3 200 accepted']),
    )
  })

  it('has how long answers took, in each second', async () => {
    await crawled(2, async (page) => {
      const points = drawn(await settled(page))
      const answered = points.filter(([, requests = 0, , failures = 0]) => requests > failures)

      expect(answered.length).toBeGreaterThan(1)
      for (const [, , , , half = 0, nineInTen = 0] of answered) {
        expect(half).toBeGreaterThan(0)
        expect(nineInTen).toBeGreaterThanOrEqual(half)
      }
    })
  })

  it('forgets nothing that it has shown when its processes are killed', async () => {
    await crawled(2, async (page, child) => {
      const before = await settled(page)
      const exchanges = (await host(page, 3))['exchanges']
      for (const pid of processesOf(child)) process.kill(pid, 'SIGKILL')
      // Those that are started in their place are answered what was in flight.
      const after = await page.shown({ view: 'now', crawl: 'judged' }, ({ totals }) => {
        return (totals as NowPicture | undefined)?.done === DONE + 1
      })
      const again = await host(page, 3)

      expect([before, after].map(({ live }) => (live as LivePicture).refusals)).toEqual([REFUSALS, REFUSALS])
      expect([before, after].map(sumsOf)).toEqual([
        [ENDED, REFUSALS, 0],
        [ENDED + 1, REFUSALS, 0],
      ])
      expect(again['exchanges']).toEqual(exchanges)
    })
  })
})

/** Processes that it has started. */
function processesOf({ pid }: ChildProcess): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}
