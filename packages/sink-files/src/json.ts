// Files of JSON as sinks: JSON Lines, and one JSON array.
import type { Json } from '@avocet/core'
import { option } from '@avocet/core/plugin'
import type { Sink } from '@avocet/core/sink'
import { FILE_RULES, fileSink, type FileOptions } from './file-options.ts'
import { jsonArray, jsonLines } from './format.ts'

/**
 * Writes items to a file of JSON Lines, each exactly once: one JSON value a line, UTF-8.
 *
 * @param path relative to the folder in which the process runs.
 * @throws AVO_CONFIG_INVALID for an option that is unknown or wrong. When it opens, AVO_OUTPUT_UNWRITABLE.
 * @example
 * ```ts
 * const sinks = [jsonl<{ price: number }>('cheap.jsonl', { filter: ({ value }) => value.price < 10 })]
 * ```
 * Source: https://jsonlines.org
 */
export function jsonl<Item = Json>(path: string, options: FileOptions<Item> = {}): Sink<Item> {
  return fileSink(path, options, { called: 'jsonl', rules: FILE_RULES, appendable: true, format: jsonLines })
}

// One JSON array as a sink.

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
