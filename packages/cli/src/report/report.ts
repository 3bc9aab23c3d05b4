// `avocet report`: what a crawl did, and how it treated each host, from the store, also while another process crawls it.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { hostKeyOf, messageOf, type FrontierReader } from '@avocet/core/store'
import { runsOf } from '@avocet/plugin-journal'
import type { ReportPage } from '@avocet/html-report'
import { configOfToday } from '../load/command-plugins.ts'
import { meantStore } from '../load/meant-store.ts'
import { checkSeedUrl } from '../load/seed-list.ts'
import { historiansOf } from '../load/policies.ts'
import { writeDocument, writeFileText } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { knownHost } from '../store/known-url.ts'
import { withReader } from '../store/open-store.ts'
import { screenColumns } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { hostLines } from './host-lines.ts'
import { hostReport, type Asking, type HostReport } from './host-report.ts'
import { storeLines } from './store-lines.ts'
import { storeReport, type StoreReport } from './store-report.ts'
import { runsAt } from './words.ts'

/** What was typed. */
export interface ReportOptions {
  readonly store?: string
  /** That host's part alone: a host as `avocet hosts` lists it, or any URL of it. */
  readonly host?: string
  readonly configPath?: string
  /** Hosts that a table shows, and that have a chart of their own. */
  readonly top: number
  readonly charts: number
  readonly json: boolean
  /** File to write. */
  readonly htmlPath?: string
}

/** As a file's name. */
const STDOUT = '-'

/**
 * Prints it, and with `--html` writes the file as well. Throws AVO_USAGE for a host that the store does not know, AVO_CONFIG_INVALID, AVO_FRONTIER_…,
 * AVO_OUTPUT_UNWRITABLE.
 */
export async function reportCommand(options: ReportOptions, place: Place): Promise<void> {
  const config = await configOfToday(place, options.configPath)
  const asking = { explainersFor: historiansOf(config), now: place.clock.now() }
  const { store, configPath } = options
  const meant = await meantStore(
    { ...(store !== undefined && { store }), crawl: { args: {}, ...(configPath !== undefined && { configPath }) } },
    place,
  )
  await withReader(place, meant, async (reader, path) => {
    if (options.json && options.htmlPath === STDOUT)
      throw new AvocetError('AVO_USAGE', 'report: expected --json or --html -, got both; name a file for one of them')
    const { host } = options
    if (host !== undefined) return ofHost(reader, asking, { ...options, hostKey: hostKeyIn(host, config) }, place)
    const report = await storeReport(reader, path, asking)
    if (options.htmlPath !== undefined) {
      const { reportPage } = await import('./report-page.ts')
      await writeHtml(reportPage(report, options.charts, place.folder), options.htmlPath, place)
    }
    if (options.json) await writeDocument(place.stdout, documentOf(report))
    else if (options.htmlPath === undefined)
      await print(
        place.stdout,
        storeLines(report, options.top, {
          screenColumns: screenColumns(place.stdout),
          folder: place.folder,
          ...(options.store !== undefined && { store: options.store }),
        }),
      )
  })
}

function hostKeyIn(host: string, config: Partial<CrawlConfig>): string {
  const url = host.includes('/') ? parseUrl(checkSeedUrl(host, 'report --host', config.secretParameters)) : undefined
  return url === undefined ? host.toLowerCase() : hostKeyOf(url, config.hostKeying ?? 'host')
}

async function ofHost(
  reader: FrontierReader,
  asking: Asking,
  { hostKey, json, htmlPath }: ReportOptions & { readonly hostKey: string },
  place: Place,
): Promise<void> {
  const host = hostReport(await knownHost(reader, hostKey, { wanted: 'report --host: expected a host' }), asking)
  const { name } = await reader.info()
  const lastRuns = runsOf(await reader.crawlMemories())
  const about = { name, now: asking.now, lastRuns }
  if (htmlPath !== undefined) {
    const { hostPage } = await import('./host-page.ts')
    await writeHtml(hostPage(host, about), htmlPath, place)
  }
  if (json) await writeDocument(place.stdout, { schema: 1, name, now: asking.now, lastRuns: runsAt(host, lastRuns), host })
  else if (htmlPath === undefined) await print(place.stdout, hostLines(host, about))
}

/** Hosts without their timelines, which would be most of it: they are in `--host NAME --json`. */
function documentOf({ hosts, ...report }: StoreReport): object {
  return { schema: 1, ...report, hosts: hosts.map(({ timeline: _timeline, ...host }: HostReport) => host) }
}

async function writeHtml(page: ReportPage, path: string, { folder, stdout, stderr }: Place): Promise<void> {
  const { htmlReport } = await import('@avocet/html-report')
  const html = htmlReport(page)
  if (path === STDOUT) return writeFileText(stdout, html)
  try {
    await writeFile(resolve(folder, path), html, { mode: 0o600 })
  } catch (error) {
    const what = `report --html: expected to write ${path}, got ${messageOf(error)}; name another file`
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', what, { cause: error })
  }
  say(stderr, `written: ${printable(path)}`)
}
