// One JSON array as a sink.
import type { Json } from '@avocet/core'
import type { Sink } from '@avocet/core/sink'
import { option } from '@avocet/core/plugin'
import { FILE_RULES, fileSink, type FileOptions } from './file-options.ts'
import { jsonArray } from './format.ts'

const RULES = { ...FILE_RULES, mode: option.oneOf('overwrite') }

/**
 * Writes items to a file that is one JSON array at any time, each exactly once.
 *
 * @param path relative to the folder in which the process runs.
 * @throws AVO_CONFIG_INVALID for an option that is unknown or wrong. When it opens, AVO_OUTPUT_UNWRITABLE.
 * @example
 * ```ts
 * const sinks = [json('offers.json')]
 * ```
 */
export function json<Item = Json>(path: string, options: FileOptions<Item> & { readonly mode?: 'overwrite' } = {}): Sink<Item> {
  return fileSink(path, options, { called: 'json', rules: RULES, appendable: false, format: jsonArray })
}
