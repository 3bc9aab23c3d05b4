// `avocet check --values`: each value that a crawl would go by, and where it comes from.
import { relative } from 'node:path'
import { AvocetError, type Json } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { planOf } from '@avocet/project/plan'
import type { Origin } from '@avocet/project/load'
import type { CrawlOptions } from '@avocet/project/options'
import { writeDocument, print, type Place, commandName } from '@avocet/project/place'
import { column, columnsOf, fit, screenColumns, printable } from '@avocet/project/text'
import { rowsOf, type Row } from './rows.ts'

/** What was typed. */
export interface ValuesWish {
  readonly options: CrawlOptions
  readonly key?: string
  /** Also where a value comes from. */
  readonly origins: boolean
}

/** Prints it. Throws AVO_USAGE for a key that there is not, and what planning a crawl throws. */
export async function valuesCommand({ options, key, origins }: ValuesWish, place: Place): Promise<void> {
  const { folder, stdout } = place
  const plan = await planOf(options, place)
  const rows = chosenRows(rowsOf({ plan, options, folder }), key)
  if (options.json) return writeDocument(stdout, documentOf(rows, plan.loaded?.path))
  const [only] = rows
  if (only?.key === key && only !== undefined && !origins) return print(stdout, textOf(only.value))
  const said = (origin: Origin): string => originInWords(origin, folder)
  await print(stdout, tableOf(rows, origins ? said : undefined, screenColumns(stdout)))
}

/** One key, or all members of a group; without a key all of them. */
function chosenRows(rows: readonly Row[], key: string | undefined): readonly Row[] {
  if (key === undefined) return rows
  const exact = rows.filter((row) => row.key === key)
  const members = rows.filter((row) => row.key.startsWith(`${key}.`) || row.key.startsWith(`${key}[`))
  if (exact.length + members.length > 0) return [...exact, ...members]
  const keys = rows.map((row) => row.key)
  throw new AvocetError(
    'AVO_USAGE',
    `check --get: expected a key that has a value, got '${key}'${didYouMean(key, keys)}; ${commandName()} check --values lists them`,
  )
}

function documentOf(rows: readonly Row[], config: string | undefined): object {
  const values = rows.map(({ key, value, origin }): [string, object] => [key, { value, ...origin }])
  return { schema: 1, config: config ?? null, values: Object.fromEntries(values) }
}

/** A value that is too long for the screen is cut only where its origin would not be seen. */
function tableOf(rows: readonly Row[], said: ((origin: Origin) => string) | undefined, columns: number): string[] {
  const keyColumns = Math.max(...rows.map(({ key }) => columnsOf(printable(key))))
  if (said === undefined) return rows.map(({ key, value }) => `${column(printable(key), keyColumns)}  ${textOf(value)}`)
  const origins = rows.map(({ origin }) => said(origin))
  const most = Math.max(...rows.map(({ value }) => columnsOf(textOf(value))))
  const room = Math.max(20, columns - keyColumns - 4 - Math.max(...origins.map((origin) => columnsOf(origin))))
  return rows.map(({ key, value }, index) => {
    const text = fit(textOf(value), room)
    return `${column(printable(key), keyColumns)}  ${column(text, Math.min(most, room))}  ${origins[index] ?? ''}`.trimEnd()
  })
}

function textOf(value: Json): string {
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map((one: Json) => textOf(one)).join(', ')
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

function originInWords({ from, name }: Origin, folder: string): string {
  if (name === undefined) return from
  if (from === 'config') return printable(relative(folder, name))
  if (from === 'spider') return `spider ${printable(name)}`
  return from === 'built-in' ? `built-in ${name}` : name
}
