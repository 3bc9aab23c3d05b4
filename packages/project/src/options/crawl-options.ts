// What the options of `avocet crawl` mean once they are read.
import { AvocetError, type RecrawlRule } from '@avocet/core'
import type { CommandConfig } from 'avocet'
import { didYouMean } from '@avocet/core/plugin'
import { LOG_LEVELS, type LogLevel } from '../log/log-entry.ts'
import { pageWishOf, typedAddress, type PageAddress } from './page-address.ts'
import {
  given,
  parseArguments,
  parseDuration,
  parseHeaders,
  parsePositive,
  parseShare,
  parseWholeNumber,
  parseWord,
  textOf,
  textsOf,
} from './values.ts'
import type { Typed } from './values.ts'

const RATES = ['learned', 'fixed', 'none'] as const
const WITHIN = { host: 'seed-hosts', domain: 'seed-domains', any: 'any' } as const

/** More are a mistake, on any machine. */
const MAX_PROCESSES = 1_024

/** An output as it was typed. */
export interface Output {
  readonly path: string
  readonly mode: 'append' | 'overwrite'
}

/** What was typed, checked. Durations in ms. */
export interface CrawlOptions {
  /** A spider, by its file or name, or URLs. */
  readonly targets: readonly string[]
  readonly seedsPath?: string
  readonly outputs: readonly Output[]
  /** Serve a page. */
  readonly ui?: { readonly address: PageAddress; readonly passwordPath?: string }
  readonly store?: string
  readonly fresh: boolean
  readonly yes: boolean
  readonly configPath?: string
  /** Spider arguments. */
  readonly args: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly within?: (typeof WITHIN)[keyof typeof WITHIN]
  readonly maxDepth?: number
  /** Of each host, also where the configuration allows more. */
  readonly maxRps?: number
  /** Instead of the configuration's rate policy. */
  readonly rate?: (typeof RATES)[number]
  readonly ignoreRobots: boolean
  /** Share of pages that handlers may fail on, 0 to 1. */
  readonly failOver?: number
  readonly json: boolean
  /** Absent: `info`. */
  readonly logLevel?: LogLevel
  /** Absent: lines for people, on standard error. */
  /** What standard error gets: lines for people, or a JSON object a line. Default `text`. */
  readonly logFormat?: 'text' | 'json'
  /** Those that the configuration has under the same names. */
  readonly config: ConfigOptions
}

/** The options that are options of a crawl's configuration. */
type ConfigOptions = Pick<
  CommandConfig,
  | 'concurrency' | 'maxPerHost' | 'delayMs' | 'patienceMs' | 'storePatienceMs' | 'maxPages' | 'maxTimeMs' | 'recrawl' | 'userAgent'
  | 'secretParameters' | 'allowPrivate' | 'cache' | 'proxy' | 'sitemaps' | 'files' | 'processes' | 'metrics'
> // prettier-ignore

/**
 * Reads what was typed.
 *
 * @throws AVO_USAGE for a value that is none, or for two wishes that exclude each other.
 */
export function crawlOptionsOf(typed: Typed): CrawlOptions {
  const scope = oneOf(typed, 'scope', ['host', 'domain', 'any'])
  const options: CrawlOptions = {
    targets: textsOf(typed, 'targets'),
    outputs: outputsOf(typed),
    ...given('ui', pageWishOf(typed)),
    ...namedFilesOf(typed),
    fresh: typed['fresh'] === true,
    yes: typed['yes'] === true,
    args: parseArguments(textsOf(typed, 'a')),
    headers: parseHeaders(textsOf(typed, 'header')),
    ...given('within', scope && WITHIN[scope]),
    ...given('maxDepth', wholeNumber(typed, 'max-depth', 0)),
    ...given('maxRps', positive(typed, 'max-rps')),
    ...given('rate', oneOf(typed, 'rate', RATES)),
    ignoreRobots: typed['ignore-robots'] === true,
    ...given('failOver', share(typed, 'fail-over')),
    json: typed['json'] === true,
    ...given('logLevel', oneOf(typed, 'log-level', LOG_LEVELS)),
    ...given('logFormat', oneOf(typed, 'log-format', ['text', 'json'])),
    config: configOptionsOf(typed),
  }
  checkStandardOutput(options)
  return options
}

function outputsOf(typed: Typed): Output[] {
  return [
    ...textsOf(typed, 'o').map((path): Output => ({ path, mode: 'append' })),
    ...textsOf(typed, 'O').map((path): Output => ({ path, mode: 'overwrite' })),
  ]
}

function configOptionsOf(typed: Typed): ConfigOptions {
  return {
    ...given('concurrency', wholeNumber(typed, 'concurrency', 1)),
    ...given('maxPerHost', wholeNumber(typed, 'max-per-host', 1)),
    ...given('delayMs', duration(typed, 'delay')),
    ...given('patienceMs', duration(typed, 'patience')),
    ...given('storePatienceMs', duration(typed, 'store-patience')),
    ...given('maxPages', wholeNumber(typed, 'max-pages', 1)),
    ...given('processes', processesOf(textOf(typed, 'processes'))),
    ...given('metrics', metricsOf(textOf(typed, 'metrics'))),
    ...given('maxTimeMs', longDuration(typed, 'max-time')),
    ...given('recrawl', recrawlOf(typed)),
    ...given('userAgent', textOf(typed, 'user-agent')),
    ...given('secretParameters', parameterNamesOf(typed, 'secret-parameter')),
    ...given('allowPrivate', typeof typed['allow-private'] === 'boolean' ? typed['allow-private'] : undefined),
    ...given('proxy', proxyOf(textsOf(typed, 'proxy'))),
    ...given('sitemaps', typeof typed['sitemaps'] === 'boolean' ? typed['sitemaps'] : undefined),
    ...given('files', typeof typed['files'] === 'boolean' ? typed['files'] : undefined),
    ...given('cache', typeof typed['cache'] === 'boolean' ? typed['cache'] : undefined),
  }
}

function namedFilesOf(typed: Typed): Pick<CrawlOptions, 'seedsPath' | 'store' | 'configPath'> {
  return {
    ...given('seedsPath', textOf(typed, 'seeds')),
    ...given('store', textOf(typed, 'store')),
    ...given('configPath', textOf(typed, 'config')),
  }
}

/** A number of processes, or one for each core. */
function processesOf(text: string | undefined): number | 'auto' | undefined {
  if (text === undefined || text === 'auto') return text
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= MAX_PROCESSES) return count
  throw new AvocetError(
    'AVO_USAGE',
    `--processes: expected auto, or a whole number from 1 to ${MAX_PROCESSES}, got '${text}'${didYouMean(text, ['auto'])}`,
  )
}

/** An address, as it was typed. */
function metricsOf(text: string | undefined): string | undefined {
  if (text !== undefined) typedAddress(text, '--metrics', 9464)
  return text
}

/** One, or several of which each host uses one. */
function proxyOf(urls: readonly string[]): string | readonly string[] | undefined {
  return urls.length > 1 ? urls : urls[0]
}

/** One rule for all pages, in place of those of the configuration. */
function recrawlOf(typed: Typed): readonly RecrawlRule[] | undefined {
  const everyMs = longDuration(typed, 'every')
  return everyMs === undefined ? undefined : [{ everyMs }]
}

/** Items and the report would run into each other on standard output. */
function checkStandardOutput({ json, outputs }: CrawlOptions): void {
  if (json && outputs.some(({ path }) => path === '-'))
    throw new AvocetError('AVO_USAGE', 'expected one thing on standard output, got -o - and --json; send items to a file')
}

/** What is none is not repeated: it may have the value. */
function parameterNamesOf(typed: Typed, name: string): readonly string[] | undefined {
  const names = textsOf(typed, name)
  for (const each of names) {
    const mark = /[\s?&=#,]/.exec(each)?.[0]
    if (each !== '' && mark === undefined) continue
    const got = mark === undefined ? 'nothing' : `a text with '${mark}'`
    throw new AvocetError(
      'AVO_USAGE',
      `--${name}: expected the name of a query parameter, such as token, got ${got}; type the option once for each name`,
    )
  }
  return names.length === 0 ? undefined : names
}

function duration(typed: Typed, name: string): number | undefined {
  const value = textOf(typed, name)
  return value === undefined ? undefined : parseDuration(value, `--${name}`)
}

/** At least the millisecond that core takes. */
function longDuration(typed: Typed, name: string): number | undefined {
  const ms = duration(typed, name)
  if (ms === undefined || ms >= 1) return ms
  throw new AvocetError('AVO_USAGE', `--${name}: expected a duration of at least 1ms, such as 1h, got '${textOf(typed, name)}'`)
}

function wholeNumber(typed: Typed, name: string, min: number): number | undefined {
  const value = textOf(typed, name)
  return value === undefined ? undefined : parseWholeNumber(value, `--${name}`, min)
}

function share(typed: Typed, name: string): number | undefined {
  const value = textOf(typed, name)
  return value === undefined ? undefined : parseShare(value, `--${name}`)
}

function positive(typed: Typed, name: string): number | undefined {
  const value = textOf(typed, name)
  return value === undefined ? undefined : parsePositive(value, `--${name}`)
}

function oneOf<const Word extends string>(typed: Typed, name: string, words: readonly Word[]): Word | undefined {
  const value = textOf(typed, name)
  return value === undefined ? undefined : parseWord(value, `--${name}`, words)
}

/** What was typed. */
