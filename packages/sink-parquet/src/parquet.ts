// The sink: rows wait in memory for a row group, row groups in a draft for a file, and a file is marked when it is finished.
//
// A Parquet file ends with its index, so nothing can be appended to one. What is in no finished file is behind the mark, and comes again after a crash; a file
// that was finished and not marked is removed when the sink opens, because its items come again too. So each item is in the files exactly once. In memory are
// at most one row group and one batch.
import type { Json } from '@avocet/core'
import { reportedOptions } from '@avocet/core/plugin'
import type { Sink } from '@avocet/core/sink'
import { inParts } from '@avocet/delivery/files'
import { OpenFiles } from './open-files.ts'
import { checkedParquet, type ParquetOptions } from './options.ts'

/**
 * Writes items to Parquet files, each exactly once: `part-000001.parquet` and so on. A file is finished, and can be read, when it has enough rows or bytes, is
 * old enough, or the run has ended.
 *
 * @param path a folder, or a path whose last part has `{n}` for the number of the file.
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range. When it opens, AVO_OUTPUT_UNWRITABLE for files of another crawl.
 *
 * @example
 * ```ts
 * const sinks = [parquet('offers/part-{n}.parquet', { columns: { name: 'string', price: 'double', seenAt: 'timestamp' } })]
 * ```
 */
export function parquet<Item = Json>(path: string, options: ParquetOptions<Item> = {}): Sink<Item> {
  const rules = checkedParquet(path, options)
  const { filter, changes = false, name = `parquet:${path}` } = options
  return {
    name,
    changes,
    ...(filter !== undefined && { filter }),
    ...(rules.columns && { columns: Object.keys(rules.columns) }),
    options: { path, ...reportedOptions(options) },
    ...inParts((session) => OpenFiles.open(rules, name, session)),
  }
}
