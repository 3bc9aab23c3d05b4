// Options in the environment: AVOCET_MAX_DEPTH=3 is --max-depth 3, below what is typed and above the configuration.
//
// yargs could read them too, but would not tell them from what was typed, and `avocet config --why` has to. A command that reads a configuration
// takes the variables of its own options; those of other such commands, of packages and of tests are known and say nothing to it. Of any other it warns: it
// may be a mistake, or somebody else's, such as AVOCET_SERVICE_HOST, which Kubernetes sets for a service called avocet.
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { optionNames, type Flags } from '@avocet/project/command'
import { commandName } from '@avocet/project/place'

const PREFIX = 'AVOCET_'

/** Those that packages read by themselves: the sink `webhook` reads its secret, which belongs on no command line. */
const OF_PACKAGES = ['AVOCET_WEBHOOK_SECRET'] as const
/** How those of tests begin: `@avocet/testkit` reads some, and a test runs commands in its own environment. */
const OF_TESTS = 'AVOCET_TEST_'

/** What the environment says. */
export interface Environment {
  /** By option name, as if it had been typed. */
  readonly typed: Readonly<Record<string, unknown>>
  /** By option name: the variable that said it. */
  readonly variables: Readonly<Record<string, string>>
  /** What is said of variables that belong to no option. */
  readonly warning?: string
}

/** A command, and the options of all commands that read the environment. */
export interface Reader {
  readonly name: string
  readonly flags: Flags
  readonly allFlags: readonly Flags[]
}

/** What an environment without any says. */
export const NO_ENVIRONMENT: Environment = { typed: {}, variables: {} }

/**
 * Reads the variables of a command.
 *
 * @throws AVO_USAGE for a switch that is neither true nor false.
 * @example
 * ```ts
 * const flags = { 'max-depth': { type: 'string' } } as const
 * const crawl = { name: 'crawl', flags, allFlags: [flags] }
 * environmentOf(crawl, { AVOCET_MAX_DEPTH: '3' }).typed // { 'max-depth': '3' }
 * ```
 */
export function environmentOf(
  { name: command, flags, allFlags }: Reader,
  env: Readonly<Record<string, string | undefined>>,
): Environment {
  const own = optionsByVariable(flags)
  const known = [...[flags, ...allFlags].flatMap((some) => [...optionsByVariable(some).keys()]), ...OF_PACKAGES]
  const unknown: string[] = []
  const typed: Record<string, unknown> = {}
  const variables: Record<string, string> = {}
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || variable.startsWith(OF_TESTS) || value === undefined) continue
    if (!known.includes(variable)) unknown.push(variable + didYouMean(variable, known))
    const option = own.get(variable)
    if (option === undefined) continue
    typed[option.name] = option.isSwitch ? switchOf(variable, value) : value
    variables[option.name] = variable
  }
  if (unknown.length === 0) return { typed, variables }
  const warning = `warning: ${unknown.join(', ')}: no such option, not read; see ${commandName()} ${command} --help`
  return { typed, variables, warning }
}

/** What was typed, and below it what the environment says. */
export function belowTyped(typed: Readonly<Record<string, unknown>>, environment: Environment): Environment {
  const silent = Object.keys(environment.typed).filter((name) => typed[name] === undefined)
  const of = <Value>(from: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(from).filter(([name]) => silent.includes(name)))
  return { typed: { ...typed, ...of(environment.typed) }, variables: of(environment.variables) }
}

interface NamedOption {
  readonly name: string
  readonly isSwitch: boolean
}

function optionsByVariable(flags: Flags): ReadonlyMap<string, NamedOption> {
  return new Map(
    Object.entries(flags).flatMap(([name, flag]) => {
      // -O and -o, -a and -A: a variable cannot tell them apart, so letters have none.
      const words = optionNames({ [name]: flag }).filter((word) => word.length > 1)
      return words.map((word): [string, NamedOption] => [variableOf(word), { name, isSwitch: flag.type === 'boolean' }])
    }),
  )
}

function variableOf(option: string): string {
  return PREFIX + option.replaceAll('-', '_').toUpperCase()
}

function switchOf(variable: string, value: string): boolean {
  if (['true', '1'].includes(value)) return true
  if (['false', '0', ''].includes(value)) return false
  throw new AvocetError('AVO_USAGE', `${variable}: expected true or false, got '${value}'`)
}
