// The page of one host for its owner, in both forms: as the data that our page shows, and as the file that is sent.
import type { PolitenessSheet } from '@avocet/dashboard'
import { htmlReport, type ReportPage } from '@avocet/html-report'
import type { CrawlConfig } from '@avocet/core'
import type { FrontierReader } from '@avocet/core/store'
import { runsOf } from '@avocet/plugin-journal'
import { historiansOf } from '../load/policies.ts'
import { hostPage } from '../report/host-page.ts'
import { hostReport } from '../report/host-report.ts'

/** Of whom, and when. */
interface SheetQuestion {
  readonly reader: FrontierReader
  readonly config: Partial<CrawlConfig>
  readonly hostKey: string
  readonly now: number
}

/** As data; undefined where the store does not know the host. */
export async function politenessSheet(question: SheetQuestion): Promise<PolitenessSheet | undefined> {
  const page = await pageOf(question)
  if (page === undefined) return undefined
  const { title, subtitle, facts, parts, footer } = page
  return {
    ...{ title, subtitle, footer },
    facts: facts.map(({ name, value, note = null }) => ({ name, value, note })),
    sentences: parts.flatMap((part) => (part.kind === 'sentence' ? [part.text] : [])),
    tables: parts.flatMap((part) =>
      part.kind === 'table'
        ? [{ title: part.title, columns: part.columns.map(({ name }) => name), rows: part.rows.map(rowOf) }]
        : [],
    ),
  }
}

/** As an HTML file. */
export async function politenessFile(question: SheetQuestion): Promise<string | undefined> {
  const page = await pageOf(question)
  return page && htmlReport(page)
}

async function pageOf({ reader, config, hostKey, now }: SheetQuestion): Promise<ReportPage | undefined> {
  const record = await reader.host(hostKey)
  if (record === undefined) return undefined
  const lastRuns = runsOf(await reader.crawlMemories())
  const { name } = await reader.info()
  return hostPage(hostReport(record, { explainersFor: historiansOf(config), now }), { name, now, lastRuns })
}

type Row = Extract<ReportPage['parts'][number], { readonly kind: 'table' }>['rows'][number]

/** Shapes are drawn in the file only. */
function rowOf({ cells, isBad = false }: Row): PolitenessSheet['tables'][number]['rows'][number] {
  const words = cells.map((cell) => (cell === null ? '' : typeof cell === 'string' ? cell : 'text' in cell ? cell.text : ''))
  return { cells: words, isBad }
}
