// `avocet simulate`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { parseArguments, given, parsePositive, parseWholeNumber, textOf, textsOf, type Typed } from '@avocet/project/options'
import { type DeclaredCommand, CONFIG_FLAG, JSON_FLAG, SPIDER_ARGUMENTS, switchFlag, valueFlag } from '@avocet/project/command'
import { commandName } from '@avocet/project/place'
import type { SimulateOptions } from './plan.ts'

const DEFAULT_HOURS = 24
const DEFAULT_SEED = 'avocet'

/** `avocet simulate`. */
export const SIMULATE: DeclaredCommand<SimulateOptions> = {
  name: 'simulate',
  arguments: '[target]',
  describes: { target: 'A spider, by its file or name, or a configuration' },
  examples: ['avocet simulate --web eight-hundred --hours 12', 'avocet simulate spider.ts --web web.json --seed 7 --json'],
  flags: {
    web: valueFlag('NAME', 'Name of a web, or a .json file with a model'),
    list: switchFlag('List the names of the webs'),
    hours: valueFlag('N', `Maximum hours of virtual time [default: ${DEFAULT_HOURS}]`),
    seed: valueFlag('TEXT', `Seed of all chance, to repeat a result [default: ${DEFAULT_SEED}]`),
    concurrency: valueFlag('N', 'Maximum requests in flight, all hosts [default: 100]'),
    ...SPIDER_ARGUMENTS,
    ...CONFIG_FLAG,
    ...JSON_FLAG,
  },
  readsEnvironment: true,
  read: simulateOptionsOf,
  run: async (options, place) => (await import('./simulate.ts')).simulateCommand(options, place),
}

/** Reads what yargs gives. Throws AVO_USAGE. */
export function simulateOptionsOf(typed: Typed): SimulateOptions {
  const [web, hours, concurrency] = ['web', 'hours', 'concurrency'].map((name) => textOf(typed, name))
  const list = typed['list'] === true
  if (web === undefined && !list)
    throw new AvocetError('AVO_USAGE', `simulate: expected --web NAME, got none; ${commandName()} simulate --list names the webs`)
  return {
    ...given('target', textOf(typed, 'target')),
    ...given('configPath', textOf(typed, 'config')),
    args: parseArguments(textsOf(typed, 'a')),
    web: web ?? '',
    hours: hours === undefined ? DEFAULT_HOURS : parsePositive(hours, '--hours'),
    seed: textOf(typed, 'seed') ?? DEFAULT_SEED,
    config: given('concurrency', concurrency === undefined ? undefined : parseWholeNumber(concurrency, '--concurrency', 1)),
    json: typed['json'] === true,
    list,
  }
}
