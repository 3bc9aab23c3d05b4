// Comma-separated values as a sink.
import type { Json } from '@avocet/core'
import { option, type OptionRules } from '@avocet/core/plugin'
import type { Sink } from '@avocet/core/sink'
import { csvFormat } from './csv-format.ts'
import { FILE_RULES, fileSink, type FileKind, type FileOptions } from './file-options.ts'

/** Options of `csv`. */
export interface CsvFileOptions<Item = Json> extends FileOptions<Item> {
  /** Fields that are written, in this order: with `csv<Offer>(…)` those of `Offer` alone. Default: all, in the order in which they appear first. */
  readonly columns?: readonly (Item extends object ? keyof Item & string : string)[]
  /** Writes cells that a spreadsheet takes for formulas as they are, without an apostrophe in front. Default `false`. */
  readonly formulas?: boolean
}

const names = option.listOf(option.nonEmptyText)
const eachOnce = option.satisfying('names of fields, at least one and each once', (given) => {
  const list = given as readonly string[]
  return list.length > 0 && new Set(list).size === list.length
})
const RULES: OptionRules<CsvFileOptions> = {
  ...FILE_RULES,
  columns: { ...names, problem: (value, path) => names.problem(value, path) ?? eachOnce.problem(value, path) },
  formulas: option.flag,
}

/**
 * Writes items to a CSV file with a header line, each exactly once.
 *
 * @param path relative to the folder in which the process runs.
 * @throws AVO_CONFIG_INVALID for an option that is unknown or wrong. When it opens, AVO_OUTPUT_UNWRITABLE, also for a file that is appended to and has
 * other columns.
 * @example
 * ```ts
 * const sinks = [csv('offers.csv', { columns: ['name', 'price'] })]
 * ```
 * Source: RFC 4180
 */
export function csv<Item = Json>(path: string, options: CsvFileOptions<Item> = {}): Sink<Item> {
  const { columns, formulas = false } = options
  const chosen = columns && { columns }
  const format: FileKind['format'] = (say) => csvFormat({ say, formulas, ...chosen })
  return { ...fileSink(path, options, { called: 'csv', rules: RULES, appendable: true, format }), ...chosen }
}
