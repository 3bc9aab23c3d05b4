// Runs a crawl several times on one store and one web, on virtual time, and holds the store to its rules after each run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, type CrawlConfig, type CrawlReport } from 'avocet'
import type { Counts, Frontier, ItemRecord, RequestRecord } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { expect, onTestFinished } from 'vitest'
import { withJournal } from './with-journal.ts'
import { scriptedWeb, type Answer } from './scripted-web.ts'

export const HTML = { 'content-type': 'text/html' }

const DAY_MS = 24 * 3_600_000

/** A page of links. */
export function html(...hrefs: readonly string[]): Answer {
  return { headers: HTML, body: hrefs.map((href) => `<a href="${href}">on</a>`).join('') }
}

/** What came of one run. */
export interface Run {
  readonly report: CrawlReport
  /** Requests of the run, method and path. */
  readonly asked: readonly string[]
  /** What the store had at its end. */
  readonly records: readonly RequestRecord[]
  /** And what documents of plugins yielded. */
  readonly ofDocuments: readonly ItemRecord[]
}

/** What is crawled. */
export interface Site {
  readonly script: Readonly<Record<string, Answer | readonly Answer[]>>
  readonly spider: CrawlConfig['spider']
  /** From the end of a run to the next one; default a day. */
  readonly apartMs?: number
}

/** Holds what a run has counted, without asking the store, to what the store has counted. */
export function expectToAgree(status: CrawlStatus, { known, waiting, done, moved, failed, items }: Counts): void {
  expect(known).toBe(waiting + done + moved + failed)
  const settled = done + moved + failed
  expect(status).toMatchObject({ known, waiting, settled, done, moved, failed, items })
}

/** Runs one after the other, in a store of memory or of sqlite. */
export async function runs(
  kind: string,
  { script, spider: made, apartMs = DAY_MS }: Site,
  ...configs: readonly Partial<CrawlConfig>[]
): Promise<readonly Run[]> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-asked-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const path = join(folder, 'store.db')
  const memory = memoryFrontier()
  const store = (): Frontier => (kind === 'memory' ? memory : sqlite(path, { clock, synchronous: 'normal' }))
  const web = scriptedWeb(clock, script)
  const done: Run[] = []
  for (const config of configs) {
    const before = web.seen.length
    const frontier = store()
    const parts = { spider: made, policies: [], delayMs: 10, randomSeed: 'again', clock, fetcher: web, frontier }
    const run = crawl({ ...parts, ...config, plugins: withJournal(config.plugins) })
    const report = await clock.run(() => run.run())
    const asked = web.seen.slice(before).map(({ outbound: { method, url } }) => `${method} ${new URL(url).pathname}`)
    const ofDocuments = await frontier.reader.items({ recordsOf: 'files/file' })
    done.push({ report, asked, records: await frontier.reader.requests({ limit: 99 }), ofDocuments })
    await frontier.close()
    if (kind === 'sqlite') expect((await verifyStore(path)).faults).toEqual([])
    expectToAgree(run.status(), report.counts)
    await clock.advance(apartMs)
  }
  return done
}
