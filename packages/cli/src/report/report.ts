// `avocet report`: what a crawl did and what its hosts felt, from the store, also while another process crawls it.
import { resolve } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { AvocetError, type CrawlConfig, type FrontierReader, type HostRecord, type Plugin } from '@avocet/core'
import { writeDocument, writeFileText } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import { withReader } from '../commands/with-reader.ts'
import { loadConfig } from '../load/config-file.ts'
import { pluginsOf } from '../load/policies.ts'
import type { Place } from '../place.ts'
import { fold } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { screenColumns } from '../view/screen-columns.ts'
import { hostLines } from './host-lines.ts'
import { hostReport, type Asking, type HostReport } from './host-report.ts'
import { DEFAULT_CHARTS, DEFAULT_TOP, type ReportOptions } from './options.ts'
import { storeLines } from './store-lines.ts'
import { storeReport, type StoreReport } from './store-report.ts'
import { knownHost } from '../why/known-url.ts'

/** As a file's name. */
const STDOUT = '-'

/** Prints it, and with `--html` writes the file as well. Throws AVO_USAGE for a host that the store does not know, AVO_CONFIG_INVALID, AVO_FRONTIER_…, AVO_OUTPUT_UNWRITABLE. */
export async function reportCommand(options: ReportOptions, place: Place): Promise<void> {
  const config = (await loadConfig(place, options.configPath))?.config ?? {}
  const asking = { pluginsFor: pluginsFor(config), ...(config.hosts && { hosts: config.hosts }), now: place.clock.now() }
  await withReader(place.folder, options.store, async (reader, path) => {
    if (options.hostKey !== undefined) return ofHost(reader, asking, { ...options, hostKey: options.hostKey }, place)
    if (options.json && options.htmlPath === STDOUT)
      throw new AvocetError('AVO_USAGE', 'report: expected --json or --html -, got both; name a file for one of them')
    const report = await storeReport(reader, path, asking)
    if (options.htmlPath !== undefined) await writeHtml(report, options, place)
    if (options.json) await writeDocument(place.stdout, documentOf(report))
    else if (options.htmlPath === undefined) await printFolded(storeLines(report, options.top ?? DEFAULT_TOP), place)
  })
}

async function ofHost(
  reader: FrontierReader,
  asking: Asking,
  { hostKey, json, htmlPath }: ReportOptions & { readonly hostKey: string },
  place: Place,
): Promise<void> {
  if (htmlPath !== undefined)
    throw new AvocetError('AVO_USAGE', 'report: expected --host or --html, got both; the file has all hosts in it')
  const host = hostReport(await knownHost(reader, hostKey, 'report --host: expected a host'), asking)
  const { name } = await reader.info()
  if (json) await writeDocument(place.stdout, { schema: 1, name, now: asking.now, host })
  else await printFolded(hostLines(host, name, asking.now), place)
}

/** On a terminal that is narrower than the tables, folded between words. */
function printFolded(lines: readonly string[], { stdout }: Place): Promise<void> {
  return print(
    stdout,
    lines.flatMap((line) => fold(line, screenColumns(stdout))),
  )
}

/** Hosts without their timelines, which would be most of it: they are in `--host NAME --json`. */
function documentOf({ hosts, ...report }: StoreReport): object {
  return { schema: 1, ...report, hosts: hosts.map(({ timeline: _timeline, ...host }: HostReport) => host) }
}

async function writeHtml(
  report: StoreReport,
  { htmlPath = '', top = DEFAULT_CHARTS }: ReportOptions,
  { folder, stdout, stderr }: Place,
): Promise<void> {
  const { htmlReport } = await import('./html/html-report.ts')
  const html = htmlReport(report, top)
  if (htmlPath === STDOUT) return writeFileText(stdout, html)
  try {
    await writeFile(resolve(folder, htmlPath), html, { mode: 0o600 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AvocetError(
      'AVO_OUTPUT_UNWRITABLE',
      `report --html: expected to write ${htmlPath}, got ${why}; name another file`,
      { cause: error },
    )
  }
  say(stderr, `written: ${printable(htmlPath)}`)
}

/** A crawl with a fixed spacing left memory of core's politeness in place of a learned rate's. */
function pluginsFor(config: Partial<CrawlConfig>): (record: HostRecord) => readonly Plugin[] {
  const learned = pluginsOf(config)
  const fixed = pluginsOf({ delayMs: 1_000, ...config })
  return ({ memory }) => (memory['politeness'] !== undefined && memory['aimd'] === undefined ? fixed : learned)
}
