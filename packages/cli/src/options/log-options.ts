// Where the log of a crawl goes, as it was typed.
import { AvocetError } from '@avocet/core'
import type { LogRotation } from '../log/log-file.ts'
import type { Variables } from './declared-command.ts'
import { given, parseBytes, parseWholeNumber, parseWord, textOf, type Typed } from './values.ts'

/** What was typed. */
export interface LogOptions {
  /** What standard error gets: lines for people, or a JSON object a line. Default `text`. */
  readonly format?: 'text' | 'json'
  /** A file that gets a JSON object a line, at any format. */
  readonly file?: LogFileWish
}

/** As it was typed. */
interface LogFileWish extends LogRotation {
  readonly path: string
}

/** Defaults of `--log-size` and `--log-keep`: 60 MiB in all. */
const ROTATION = { maxBytes: 10 * 2 ** 20, keep: 5 } as const satisfies LogRotation

/** Each is renamed whenever one more begins. */
const MOST_KEPT = 1_000

/** Undefined where nothing was. Throws AVO_USAGE. */
export function logOptionsOf(typed: Typed, variables: Variables): LogOptions | undefined {
  const [path, format] = [textOf(typed, 'log-file'), textOf(typed, 'log-format')]
  if (path === '' || path === '-')
    throw new AvocetError('AVO_USAGE', `--log-file: expected a file, got '${path}'; for standard error, use --log-format json`)
  const [size, keep] = [textOf(typed, 'log-size'), textOf(typed, 'log-keep')]
  const alone = ['log-size', 'log-keep'].find((name) => typed[name] !== undefined && variables[name] === undefined)
  if (path === undefined && alone !== undefined)
    throw new AvocetError('AVO_USAGE', `--${alone}: expected a log file, got none; add --log-file crawl.log`)
  if (path === undefined && format === undefined) return undefined
  const rotation: LogRotation = {
    maxBytes: size === undefined ? ROTATION.maxBytes : parseBytes(size, '--log-size'),
    keep: keep === undefined ? ROTATION.keep : parseWholeNumber(keep, '--log-keep', 1, MOST_KEPT),
  }
  return {
    ...given('format', format === undefined ? undefined : parseWord(format, '--log-format', ['text', 'json'])),
    ...given('file', path === undefined ? undefined : { path, ...rotation }),
  }
}
