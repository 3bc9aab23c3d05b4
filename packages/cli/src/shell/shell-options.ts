// The options of `avocet shell`, and what they mean once they are read.
import type { Options } from 'yargs'
import type { Typed, Variables } from '../declared/declared-command.ts'
import { lastTextOf, SPIDER_FLAGS, VISIT_FLAGS, visitWishOf, type VisitWish } from '../fetch/visit-flags.ts'
import { textOf } from '../options/text-of.ts'

/** Of `avocet shell`. */
export const SHELL_FLAGS: Readonly<Record<string, Options>> = {
  c: { type: 'string', requiresArg: true, alias: 'code', describe: 'run CODE, print what it gives, and end' },
  json: { type: 'boolean', describe: 'print that as one JSON document' },
  ...SPIDER_FLAGS,
  url: { type: 'string', requiresArg: true, describe: 'address of the page in a file' },
  ...VISIT_FLAGS,
}

/** What was typed. */
export interface ShellOptions extends VisitWish {
  /** A URL or a file to begin with. */
  readonly target?: string
  readonly code?: string
  readonly json: boolean
  readonly spiderPath?: string
  readonly url?: string
}

/** Reads what was typed. Throws AVO_USAGE. */
export function shellOptionsOf(typed: Typed, variables: Variables): ShellOptions {
  const target = textOf(typed, 'target')
  const [code, spiderPath, url] = ['c', 'spider', 'url'].map((name) => lastTextOf(typed, name))
  return {
    ...visitWishOf(typed, variables),
    json: typed['json'] === true,
    ...(target !== undefined && { target }),
    ...(code !== undefined && { code }),
    ...(spiderPath !== undefined && { spiderPath }),
    ...(url !== undefined && { url }),
  }
}
