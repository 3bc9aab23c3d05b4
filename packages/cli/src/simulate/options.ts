// What `avocet simulate` can be told.
import { AvocetError } from '@avocet/core'
import type { Options } from 'yargs'
import { parseArguments } from '../options/assignment.ts'
import { parsePositive } from '../options/positive.ts'
import { parseWholeNumber } from '../options/whole-number.ts'

/** What was typed, checked. */
export interface SimulateOptions {
  /** A spider file or a configuration. */
  readonly target?: string
  readonly configPath?: string
  /** Spider arguments. */
  readonly args: Readonly<Record<string, string>>
  /** Name of a world, or a file. */
  readonly web: string
  readonly hours: number
  readonly seed: string
  readonly config: { readonly concurrency?: number }
  readonly json: boolean
  /** Only say which webs there are. */
  readonly list: boolean
}

const text = { type: 'string', requiresArg: true } as const
const flag = { type: 'boolean' } as const

/** As yargs takes them. */
export const SIMULATE_FLAGS: Readonly<Record<string, Options>> = {
  web: { ...text, describe: 'a web by its name, or a model in a .json file' },
  list: { ...flag, describe: 'name the webs' },
  hours: { ...text, describe: 'of virtual time, at most (24)' },
  seed: { ...text, describe: 'of all chance (avocet); the same seed, the same result' },
  concurrency: { ...text, describe: 'requests under way at once, all hosts (100)' },
  a: { ...text, alias: 'arg', describe: 'key=value for the spider' },
  config: { ...text, describe: 'default: the nearest avocet.config.ts' },
  json: { ...flag, describe: 'print one JSON document' },
}

const DEFAULT_HOURS = 24
const DEFAULT_SEED = 'avocet'

/** Reads what yargs gives. Throws AVO_USAGE. */
export function simulateOptionsOf(typed: Readonly<Record<string, unknown>>): SimulateOptions {
  const last = (name: string): string | undefined => [typed[name]].flat().map(textOf).at(-1)
  const [target, configPath, hours, concurrency] = ['target', 'config', 'hours', 'concurrency'].map(last)
  const list = typed['list'] === true
  const web = last('web')
  if (web === undefined && !list)
    throw new AvocetError('AVO_USAGE', 'simulate: expected --web NAME, got none; avocet simulate --list names the webs')
  return {
    ...(target !== undefined && { target }),
    ...(configPath !== undefined && { configPath }),
    args: parseArguments([typed['a'] ?? []].flat().map(String)),
    web: web ?? '',
    hours: hours === undefined ? DEFAULT_HOURS : parsePositive(hours, '--hours'),
    seed: last('seed') ?? DEFAULT_SEED,
    config: { ...(concurrency !== undefined && { concurrency: parseWholeNumber(concurrency, '--concurrency', 1) }) },
    json: typed['json'] === true,
    list,
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
