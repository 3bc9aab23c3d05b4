// Runs a crawl several times on one store and one web, on virtual time, and holds the store to its rules after each run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, type CrawlConfig, type CrawlReport } from '@avocet/core'
import type { DocumentRecord, Frontier, RequestRecord } from '@avocet/core/store'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { expect, onTestFinished } from 'vitest'
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
  readonly ofDocuments: readonly DocumentRecord[]
}

/** What is crawled. */
export interface Site {
  readonly script: Readonly<Record<string, Answer | readonly Answer[]>>
  readonly spider: CrawlConfig['spider']
  /** From the end of a run to the next one; default a day. */
  readonly apartMs?: number
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
    const report = await clock.run(() => crawl({ ...parts, ...config }).run())
    const asked = web.seen.slice(before).map(({ outbound: { method, url } }) => `${method} ${new URL(url).pathname}`)
    const ofDocuments = await frontier.reader.records({ afterSeq: 0, limit: 99 })
    done.push({ report, asked, records: await frontier.reader.requests({ limit: 99 }), ofDocuments })
    await frontier.close()
    if (kind === 'sqlite') expect((await verifyStore(path)).faults).toEqual([])
    const { known, waiting, done: pages, moved, failed } = report.counts
    expect(known).toBe(waiting + pages + moved + failed)
    await clock.advance(apartMs)
  }
  return done
}
