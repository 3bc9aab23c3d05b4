// The options of the sink, their check, and the names of the files that follow from them.
import type { Json } from '@avocet/core'
import { checkOptions, option, wrongOption, type OptionRules } from '@avocet/core/plugin'
import type { SinkItem } from '@avocet/core/sink'
import type { ColumnType } from './columns.ts'

/** Options of `parquet`. */
export interface ParquetOptions<Item = Json> {
  /** Columns by name, in the order of the file; other fields are left out. Default: the fields of the first file, whose types never change after that. */
  readonly columns?: Readonly<Record<string, ColumnType>>
  /** Rows of a file. Default 1,000,000. */
  readonly rowsPerFile?: number
  /** Size at which a file is finished: bytes that are in it, and JSON text that waits to be. Default 128 MiB. */
  readonly maxBytes?: number
  /** Age at which a file is finished. Its rows can be read only then. Ms; default 900,000. */
  readonly everyMs?: number
  /** Which items are written. Default: all. */
  readonly filter?: (item: SinkItem<Item>) => boolean
  /** Writes changes of watched items (`ItemChange`) instead of items. */
  readonly changes?: boolean
  /** Name of the sink, unique in its crawl. Default: `parquet:` and the path. */
  readonly name?: string
}

/** All of them, with the files' folder and name. */
export interface ParquetRules {
  readonly folder: string
  /** What is before and after the number in the name of a file. */
  readonly affixes: readonly [string, string]
  readonly columns?: Readonly<Record<string, ColumnType>>
  readonly rowsPerFile: number
  readonly maxBytes: number
  readonly everyMs: number
}

const TYPES = ['string', 'double', 'int64', 'boolean', 'timestamp', 'json'] as const
const someColumns = option.recordOf(option.oneOf(...TYPES), option.nonEmptyText)

const RULES: OptionRules<ParquetOptions> = {
  columns: {
    ...someColumns,
    problem: (value, path) =>
      someColumns.problem(value, path) ??
      option
        .satisfying('an object with at least one column', (table) => Object.keys(table as object).length > 0)
        .problem(value, path),
  },
  rowsPerFile: option.wholeNumber(1),
  maxBytes: option.wholeNumber(1),
  everyMs: option.positive,
  filter: option.callback,
  changes: option.flag,
  name: option.nonEmptyText,
}

const PATTERN = /^(?:(?<folder>.*)\/)?(?<before>[^/]*)\{n\}(?<after>[^/]*\.parquet)$/s

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function checkedParquet(path: string, options: object): ParquetRules {
  checkOptions('parquet', options, RULES)
  const { columns, rowsPerFile = 1_000_000, maxBytes = 128 * 1024 * 1024, everyMs = 900_000 } = options as ParquetOptions
  return { ...placeOf(path), ...(columns !== undefined && { columns }), rowsPerFile, maxBytes, everyMs }
}

/** A folder has `part-{n}.parquet` in it. */
function placeOf(path: unknown): Pick<ParquetRules, 'folder' | 'affixes'> {
  const expected = "a folder, or a path whose last part has '{n}' and ends in .parquet, such as 'offers/part-{n}.parquet'"
  if (typeof path !== 'string' || path === '' || path.includes('\0')) throw wrongOption('the path of parquet', expected, path)
  const { folder = '', before = '', after } = PATTERN.exec(path)?.groups ?? {}
  if (after === undefined) {
    if (path.includes('{n}') || /\.parquet$/i.test(path)) throw wrongOption('the path of parquet', expected, path)
    return { folder: path, affixes: ['part-', '.parquet'] }
  }
  const isRoot = folder === '' && path.startsWith('/')
  return { folder: isRoot ? '/' : folder || '.', affixes: [before, after] }
}
