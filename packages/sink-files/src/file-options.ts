// What all files of items have in common: their options, and their life as sinks.
import { mkdir } from 'node:fs/promises'
import { dirname, normalize, resolve } from 'node:path'
import type { Json } from '@avocet/core'
import { checkOptions, option, reportedOptions, wrongOption, type OptionRules } from '@avocet/core/plugin'
import type { Sink, SinkItem } from '@avocet/core/sink'
import { FileSink, type FileTarget } from './file-sink.ts'

/** Options of `jsonl`, and with others of `csv`. */
export interface FileOptions<Item = Json> {
  /**
   * What becomes of content that this crawl did not write: `overwrite` replaces it, `append` keeps it in front of the items. Later runs continue in both.
   * Default: such a file is refused.
   */
  readonly mode?: 'overwrite' | 'append'
  /** Which items are written. Default: all. */
  readonly filter?: (item: SinkItem<Item>) => boolean
  /** Writes changes of watched items (`ItemChange`) instead of items. */
  readonly changes?: boolean
  /** Name of the sink, unique in its crawl; names its mark in the store. Default: the path, without `./`; a relative and an absolute one are two names. */
  readonly name?: string
}

/** Checks of `FileOptions`. */
export const FILE_RULES: OptionRules<FileOptions> = {
  mode: option.oneOf('overwrite', 'append'),
  filter: option.callback,
  changes: option.flag,
  name: option.nonEmptyText,
}

/** How a kind of file is written. */
export interface FileKind extends Pick<FileTarget, 'appendable'> {
  /** The function that makes the sink: `jsonl`. */
  readonly called: string
  readonly rules: Partial<OptionRules<FileOptions>>
  /** A new one for each opening. `say`: tells a person. */
  format(say: (line: string) => void): FileTarget['format']
}

/** The sink of a file. Throws AVO_CONFIG_INVALID. */
export function fileSink<Item>(
  path: string,
  options: FileOptions<Item>,
  { called, rules, appendable, format }: FileKind,
): Sink<Item> {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) throw wrongOption(`the path of ${called}`, 'a file', path)
  checkOptions(called, options, rules as OptionRules<FileOptions>)
  const { mode, filter, changes = false, name = normalize(path) } = options
  const absolute = resolve(path)
  let open: FileSink | undefined
  const opened = (): FileSink => {
    if (open === undefined) throw new Error(`expected the sink of ${path} to be open`)
    return open
  }
  return {
    name,
    changes,
    ...(filter !== undefined && { filter }),
    options: { path, ...reportedOptions(options) },
    limits: FileSink.LIMITS,
    async open(session) {
      // Where it cannot be made, the file says why.
      await mkdir(dirname(absolute), { recursive: true }).catch(() => undefined)
      const say = (line: string): void => session.problem(line)
      open = new FileSink({ path: absolute, name, mode, appendable, format: format(say), say })
      return open.open(session)
    },
    write: ({ items, mark }) => opened().write({ items, mark }),
    finish: () => opened().finish(),
    async close() {
      await open?.close()
      open = undefined
    },
  }
}
