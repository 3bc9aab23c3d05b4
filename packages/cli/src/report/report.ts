// `avocet report`: what a crawl did, and how it treated each host, from the store, also while another process crawls it.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { hostKeyOf, messageOf, type FrontierReader, type HostRecord } from '@avocet/core/store'
import { crawlFile, type CrawlFileWish } from '@avocet/dashboard'
import { runsOf } from '@avocet/plugin-journal'
import { configOfToday, historiansOf } from '@avocet/project/plan'
import { checkSeedUrl } from '@avocet/project/load'
import { print, say, writeAsIs, writeDocument, type Place } from '@avocet/project/place'
import { withReader } from '@avocet/project/store'
import { screenColumns, printable } from '@avocet/project/text'
import { crawlAtRest } from '../store/at-rest.ts'
import { knownHost } from '../store/known-host.ts'
import { politenessSheet, sheetLines } from '../treatment/politeness-sheet.ts'
import { hostReport, type Asking, type HostReport } from '../treatment/host-report.ts'
import { storeLines } from '../treatment/store-lines.ts'
import { storeReport, type StoreReport } from '../treatment/store-report.ts'
import { runsAt } from '../treatment/report-words.ts'
import { WatchedCrawl } from '../ui/watched-crawl.ts'

/** What was typed. */
export interface ReportOptions {
  readonly store?: string
  /** That host's part alone: a host as `avocet hosts` lists it, or any URL of it. */
  readonly host?: string
  readonly configPath?: string
  readonly json: boolean
  /** File to write. */
  readonly htmlPath?: string
}

/** Hosts that have a view of their own in a page; `avocet hosts` lists all. */
const VIEWS = 100
/** As a file's name. */
const STDOUT = '-'

/**
 * Prints it, and with `--html` writes the file as well. Throws AVO_USAGE for a host that the store does not know, AVO_CONFIG_INVALID, AVO_FRONTIER_…,
 * AVO_OUTPUT_UNWRITABLE.
 */
export async function reportCommand(options: ReportOptions, place: Place): Promise<void> {
  const config = await configOfToday(place, options.configPath)
  const asking = { explainersFor: historiansOf(config), now: place.clock.now() }
  await withReader(place, options, async (reader, path) => {
    if (options.json && options.htmlPath === STDOUT)
      throw new AvocetError('AVO_USAGE', 'report: expected --json or --html -, got both; name a file for one of them')
    const { host } = options
    const hostKey = host === undefined ? undefined : hostKeyIn(host, config)
    const known =
      hostKey === undefined ? undefined : await knownHost(reader, hostKey, { wanted: 'report --host: expected a host' })
    if (options.htmlPath !== undefined) {
      const source = await crawlInFile({ reader, path, config }, place)
      const html = await crawlFile({ ...source, ...(known ? { host: known.hostKey } : { hosts: VIEWS }) })
      await writeHtml(html ?? '', options.htmlPath, place)
    }
    if (known !== undefined) return ofHost(reader, known, { ...options, ...asking }, place)
    const report = await storeReport(reader, path, asking)
    if (options.json) await writeDocument(place.stdout, documentOf(report))
    else if (options.htmlPath === undefined)
      await print(
        place.stdout,
        storeLines(report, {
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

/** What is read, and where it is. */
interface ReadCrawl {
  readonly reader: FrontierReader
  readonly path: string
  readonly config: Partial<CrawlConfig>
}

async function crawlInFile({ reader, path: store, config }: ReadCrawl, { clock, folder }: Place): Promise<CrawlFileWish> {
  const { name } = await reader.info()
  return { crawl: name, source: new WatchedCrawl({ name, store, reader, config, clock, folder, isPatient: true }) }
}

async function ofHost(
  reader: FrontierReader,
  known: HostRecord,
  { json, htmlPath, ...asking }: ReportOptions & Asking,
  { stdout }: Place,
): Promise<void> {
  const { name } = await reader.info()
  const crawl = await crawlAtRest(reader)
  const host = hostReport(crawl, known, asking)
  const lastRuns = runsOf(crawl)
  const { now } = asking
  if (json) await writeDocument(stdout, { schema: 1, name, now, lastRuns: runsAt(host, lastRuns), host })
  else if (htmlPath === undefined) await print(stdout, sheetLines(politenessSheet(host, { name, now, lastRuns })))
}

/** Hosts without their timelines, which would be most of it: they are in `--host NAME --json`. */
function documentOf({ hosts, ...report }: StoreReport): object {
  return { schema: 1, ...report, hosts: hosts.map(({ timeline: _timeline, ...host }: HostReport) => host) }
}

async function writeHtml(html: string, path: string, { folder, stdout, stderr }: Place): Promise<void> {
  if (path === STDOUT) return writeAsIs(stdout, html)
  try {
    await writeFile(resolve(folder, path), html, { mode: 0o600 })
  } catch (error) {
    const what = `report --html: expected to write ${path}, got ${messageOf(error)}; name another file`
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', what, { cause: error })
  }
  say(stderr, `written: ${printable(path)}`)
}
