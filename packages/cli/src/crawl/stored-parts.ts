// What the store of a crawl says when no process of it works any more: what the report of several processes cannot be summed from.
import type { CrawlReport } from '@avocet/core'
import { acceptedPatterns, storedReport, type StoredReport } from '@avocet/core/tools'
import { filesTotals } from '../store/files-totals.ts'
import { readStore } from '../store/open-store.ts'
import { sinksAtRest, type SinkAtRest } from '../store/sinks-at-rest.ts'
import type { Supervised } from './supervise-crawl.ts'

/** What it says. */
export interface StoredParts extends Pick<Supervised['report'], 'files'> {
  readonly report: StoredReport
  readonly sinks: readonly SinkAtRest[]
}

/** What is asked beside the store. */
interface Asked {
  readonly hasFiles: boolean
  /** Epoch ms. */
  readonly now: number
  /** The last page that each handler yielded nothing for. */
  readonly silentPages: ReadonlyMap<string, string>
}

/** Undefined if it cannot be read, which the processes have reported. */
export async function storedParts(path: string, { hasFiles, now, silentPages }: Asked): Promise<StoredParts | undefined> {
  return readStore(path, async (reader) => {
    const accepted = acceptedPatterns(await reader.crawlMemories())
    const report = await storedReport(reader, { accepted, now, silentPages })
    const files = hasFiles ? await filesTotals(reader) : undefined
    const sinks = await sinksAtRest(reader, path)
    return { report, sinks, ...(files && { files }) }
  }).catch(() => undefined)
}

/** The progress of sinks is read from the store: the process that wrote to one may have died, and the others do not know it. */
export function withSinks(report: CrawlReport | undefined, atRest: readonly SinkAtRest[] = []): CrawlReport | undefined {
  if (report?.sinks === undefined) return report
  const found = new Map(atRest.map((sink) => [sink.name, sink]))
  const sinks = report.sinks.map((sink) => {
    const { written = sink.written, behind = sink.behind } = found.get(sink.name) ?? {}
    return { ...sink, written, behind }
  })
  return { ...report, sinks }
}
