// The options of `avocet parse`, and what they mean once they are read.
import type { Options } from 'yargs'
import type { Typed, Variables } from '../declared/declared-command.ts'
import { lastTextOf, SPIDER_FLAGS, VISIT_FLAGS, visitWishOf, type VisitWish } from '../fetch/visit-flags.ts'
import { textOf } from '../options/text-of.ts'
import { parseWholeNumber } from '../options/whole-number.ts'

/** Of `avocet parse`. */
export const PARSE_FLAGS: Readonly<Record<string, Options>> = {
  ...SPIDER_FLAGS,
  handler: { type: 'string', requiresArg: true, describe: 'of the spider (start)' },
  url: { type: 'string', requiresArg: true, describe: 'address of the page in a file' },
  limit: { type: 'string', requiresArg: true, describe: 'items and links to show (all items, 20 links)' },
  json: { type: 'boolean', describe: 'print one JSON document, with the links' },
  ...VISIT_FLAGS,
}

/** What was typed. */
export interface ParseOptions extends VisitWish {
  /** A URL or a file. */
  readonly target: string
  readonly spiderPath?: string
  readonly handler: string
  readonly url?: string
  readonly limit?: number
  readonly json: boolean
}

/** Reads what was typed. Throws AVO_USAGE. */
export function parseOptionsOf(typed: Typed, variables: Variables): ParseOptions {
  const [spiderPath, url, limit] = ['spider', 'url', 'limit'].map((name) => lastTextOf(typed, name))
  return {
    ...visitWishOf(typed, variables),
    target: textOf(typed, 'target') ?? '',
    handler: lastTextOf(typed, 'handler') ?? 'start',
    json: typed['json'] === true,
    ...(spiderPath !== undefined && { spiderPath }),
    ...(url !== undefined && { url }),
    ...(limit !== undefined && { limit: parseWholeNumber(limit, '--limit', 0) }),
  }
}
