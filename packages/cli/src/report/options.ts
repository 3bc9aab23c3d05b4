// What may be typed after `avocet report`.
import type { Options } from 'yargs'
import type { Typed } from '../declared/declared-command.ts'
import { textOf } from '../options/text-of.ts'
import { parseWholeNumber } from '../options/whole-number.ts'

/** Hosts that a table shows, and that have a chart of their own. */
export const DEFAULT_TOP: number = 10
export const DEFAULT_CHARTS: number = 24

/** What was typed. */
export interface ReportOptions {
  readonly store?: string
  /** That host's part alone. */
  readonly hostKey?: string
  readonly configPath?: string
  readonly top?: number
  readonly json: boolean
  /** File to write. */
  readonly htmlPath?: string
}

/** Of `avocet report`. */
export const REPORT_FLAGS: Readonly<Record<string, Options>> = {
  host: { type: 'string', requiresArg: true, describe: 'what that host felt, for whoever owns it' },
  html: { type: 'string', requiresArg: true, describe: 'write FILE, or - for stdout: charts, in one page that needs no network' },
  top: {
    type: 'string',
    requiresArg: true,
    describe: `hosts in each table (${DEFAULT_TOP}), with charts in the file (${DEFAULT_CHARTS})`,
  },
  config: { type: 'string', requiresArg: true, describe: 'of the crawl; default: the nearest avocet.config.ts' },
  json: { type: 'boolean', describe: 'print one JSON document, with every host' },
}

/** Throws AVO_USAGE. */
export function reportOptionsOf(typed: Typed): ReportOptions {
  const [store, host, top] = [textOf(typed, 'store'), textOf(typed, 'host'), textOf(typed, 'top')]
  const [configPath, htmlPath] = [textOf(typed, 'config'), textOf(typed, 'html')]
  return {
    ...(store !== undefined && { store }),
    ...(host !== undefined && { hostKey: host.toLowerCase() }),
    ...(configPath !== undefined && { configPath }),
    ...(htmlPath !== undefined && { htmlPath }),
    ...(top !== undefined && { top: parseWholeNumber(top, 'report --top', 1) }),
    json: typed['json'] === true,
  }
}
