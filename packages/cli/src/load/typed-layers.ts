// What was typed, and what the environment says, as layers of precedence.
import { systemClock } from '@avocet/core'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { flat, type Layer } from './precedence.ts'

/** By key of the configuration: the option that says it. */
const OPTION_OF: Readonly<Record<string, string>> = {
  concurrency: 'concurrency',
  maxPerHost: 'max-per-host',
  delayMs: 'delay',
  patienceMs: 'patience',
  storePatienceMs: 'store-patience',
  maxPages: 'max-pages',
  maxTimeMs: 'max-time',
  recrawl: 'every',
  userAgent: 'user-agent',
  secretParameters: 'secret-parameter',
  allowPrivate: 'allow-private',
  html: 'html',
  'scope.within': 'scope',
  'scope.maxDepth': 'max-depth',
  clock: 'time-scale',
}

/** The two strongest layers. */
export function typedLayers(options: CrawlOptions): readonly Layer[] {
  const { config, headers, within, maxDepth, timeScale, variables = {} } = options
  const clock = timeScale === undefined ? undefined : systemClock({ scale: timeScale })
  const values = Object.entries(flat({ ...config, headers, scope: { within, maxDepth }, clock }))
  const inEnvironment = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(variables, optionOf(key))
  return [
    {
      from: 'flag',
      values: Object.fromEntries(values.filter((entry) => !inEnvironment(entry))),
      nameOf: (key) => `--${optionOf(key)}`,
    },
    {
      from: 'environment',
      values: Object.fromEntries(values.filter(inEnvironment)),
      nameOf: (key) => variables[optionOf(key)],
    },
  ]
}

/** Where an option that is no key of a configuration (`store`, `seeds`) comes from. */
export function originOfOption(option: string, { variables = {} }: CrawlOptions): { from: 'flag' | 'environment'; name: string } {
  const variable = variables[option]
  return variable === undefined ? { from: 'flag', name: `--${option}` } : { from: 'environment', name: variable }
}

function optionOf(key: string): string {
  return key.startsWith('headers.') ? 'header' : (OPTION_OF[key] ?? key)
}
