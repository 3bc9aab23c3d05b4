// The options of `avocet fetch`, and what they mean once they are read.
import { AvocetError } from '@avocet/core'
import type { Options } from 'yargs'
import type { Typed, Variables } from '../declared/declared-command.ts'
import { textOf } from '../options/text-of.ts'
import { lastTextOf, VISIT_FLAGS, visitWishOf, type VisitWish } from './visit-flags.ts'

/** Of `avocet fetch`. */
export const FETCH_FLAGS: Readonly<Record<string, Options>> = {
  headers: { type: 'boolean', describe: 'status line and header fields before the body, as curl -i' },
  explain: { type: 'boolean', describe: 'say on stderr what each policy decided; no body' },
  o: { type: 'string', requiresArg: true, alias: 'output', describe: 'write the body to FILE' },
  json: { type: 'boolean', describe: 'print one JSON document' },
  ...VISIT_FLAGS,
}

/** What was typed. */
export interface FetchOptions extends VisitWish {
  readonly url: string
  readonly headers: boolean
  readonly explain: boolean
  readonly json: boolean
  /** File for the body; absent: standard output. */
  readonly output?: string
}

/** Reads what was typed. Throws AVO_USAGE. */
export function fetchOptionsOf(typed: Typed, variables: Variables): FetchOptions {
  const given = lastTextOf(typed, 'o')
  const output = given === '-' ? undefined : given
  const [headers, explain, json] = [typed['headers'] === true, typed['explain'] === true, typed['json'] === true]
  if (json && headers)
    throw new AvocetError(
      'AVO_USAGE',
      'expected one thing on standard output, got --headers and --json; the document has the headers',
    )
  return {
    ...visitWishOf(typed, variables),
    url: textOf(typed, 'url') ?? '',
    headers,
    explain,
    json,
    ...(output !== undefined && { output }),
  }
}
