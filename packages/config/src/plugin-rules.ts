// Whether plugins are what one crawl may have: their names, and what is under each of their keys.
import { AvocetError, type Plugin } from '@avocet/core'
import { option, type OptionRules } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'
import { unlikeJson } from '@avocet/core/tools'

const { anyObject, anyText, atLeast, callback, flag, hasMembers, listOf, memberProblems, needed, oneOf, optionsProblem } = option
const { orInfinity, recordOf, satisfying, synchronous, wholeNumber } = option

const NAME = satisfying(
  'a name of lower-case letters, digits and "-"',
  (name) => typeof name === 'string' && /^[a-z][a-z0-9-]*$/.test(name),
)

const POLICIES = Object.keys({
  robots: 0,
  rate: 0,
  breaker: 0,
  timeouts: 0,
  retry: 0,
  recrawl: 0,
} satisfies Record<NonNullable<Plugin['policy']>, 0>)

const DOCUMENT_HANDLER: OptionRules<NonNullable<Plugin['handlers']>[string]> = {
  handle: needed(callback),
  records: flag,
  maxBytes: wholeNumber(1),
  everyMs: orInfinity(atLeast(1)),
  accepts: listOf(wholeNumber(100, 999)),
}

/** Of a plugin. Only what is awaited may be async, and what decides nothing, such as for alerts: a promise of theirs is a problem, and the crawl goes on. */
const PLUGIN: OptionRules<Plugin> = {
  name: needed(NAME),
  version: satisfying('a whole number', Number.isSafeInteger),
  policy: oneOf(...POLICIES),
  outsideEffects: flag,
  seesRequired: flag,
  readsPages: flag,
  options: { expected: 'named values of plain JSON', problem: jsonProblem },
  handlers: recordOf({ expected: '{ handle(page, crawl) { … } }', problem: handlerProblem }, NAME),
  linksTo: listOf(anyText),
  findings: anyObject,
  test: callback,
  hostMemory: synchronous,
  crawlMemory: synchronous,
  merge: synchronous,
  forgetHost: synchronous,
  explain: synchronous,
  open: callback,
  onDiscover: synchronous,
  admit: synchronous,
  onAdmit: synchronous,
  beforeRequest: callback,
  exitOf: synchronous,
  onUnsent: synchronous,
  onResponse: synchronous,
  onError: synchronous,
  onItem: callback,
  onHandled: synchronous,
  onCommit: synchronous,
  revisit: synchronous,
  onSettled: callback,
  onTrace: callback,
  close: callback,
}

/** Refuses plugins without a name, with a name that is taken, or with a key that is no hook. */
export function checkPlugins(plugins: readonly Plugin[]): void {
  const names = new Set<string>()
  for (const plugin of plugins) {
    if (Array.isArray(plugin)) throw invalid('expected a plugin, got a list of them; write policies: polite(), without brackets')
    const { name } = plugin
    const problem = NAME.problem(name, 'the name of a plugin') ?? optionsProblem(`plugin ${name}`, plugin, PLUGIN)
    if (problem !== undefined) throw invalid(problem)
    if (name === 'core')
      throw invalid("expected a plugin with a name of its own, got 'core', which is the crawl's; choose another")
    if (names.has(name)) throw invalid(`two plugins are named ${name}: leave one of them out`)
    names.add(name)
  }
}

/** It may be of a class, with members of its own. */
function handlerProblem(handler: unknown, path: string): string | undefined {
  return anyObject.problem(handler, path) ?? memberProblems(handler as object, DOCUMENT_HANDLER, `${path}.`)[0]
}

function jsonProblem(options: unknown, path: string): string | undefined {
  const flaw = hasMembers(options) ? unlikeJson(options, 'options') : shown(options)
  return flaw && `expected ${path} to be named values of plain JSON, which reports show, got ${flaw}`
}

function invalid(message: string): AvocetError {
  return new AvocetError('AVO_PLUGIN_INVALID', message)
}
