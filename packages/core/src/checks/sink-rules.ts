// What a sink in a configuration may be.
import {
  anyObject,
  atLeast,
  callback,
  listOf,
  nonEmptyText,
  orInfinity,
  tableOf,
  wholeNumber,
  type OptionRule,
  type OptionRules,
} from '../values/options.ts'
import { SCHEMA_SOURCE } from '../ports/reject.ts'
import { shown } from '../values/shown.ts'
import type { SinkLimits } from '../ports/sink.ts'

const LIMITS: OptionRules<SinkLimits> = {
  maxItems: wholeNumber(1),
  maxBytes: wholeNumber(1),
  maxWaitMs: atLeast(0),
  timeoutMs: orInfinity(atLeast(1)),
}

/** Limits of the batches of a sink. */
export const SINK_LIMITS_RULE: OptionRule = tableOf(LIMITS)

/** The filter of a sink. A promise would count as true, whatever it resolves to. */
export const SINK_FILTER_RULE: OptionRule = {
  expected: 'a function that returns true or false',
  problem: (value, path) =>
    Object.prototype.toString.call(value) === '[object AsyncFunction]'
      ? `expected ${path} to give true or false at once, got an async function; remove async`
      : callback.problem(value, path),
}

const MEMBERS: Readonly<Record<string, OptionRule>> = {
  filter: SINK_FILTER_RULE,
  columns: listOf(nonEmptyText),
  options: anyObject,
  open: callback,
  finish: callback,
  close: callback,
}

/** Sinks with names of their own. */
export const SINKS_RULE: OptionRule = {
  expected: 'a list of sinks',
  problem(value, path) {
    if (!Array.isArray(value))
      return `expected ${path} to be a list of sinks, [sink(async (items) => …, { name })], got ${shown(value)}`
    const names = new Set<string>()
    for (const [n, each] of value.entries()) {
      const problem = sinkProblem(each, `${path}[${n}]`)
      if (problem !== undefined) return problem
      const { name } = each as { name: string }
      if (names.has(name))
        return `expected each sink in ${path} to have a name of its own, got '${name}' twice; give one another name`
      names.add(name)
    }
    return undefined
  },
}

function sinkProblem(value: unknown, path: string): string | undefined {
  if (anyObject.problem(value, path) !== undefined || typeof (value as { write?: unknown }).write !== 'function')
    return `expected ${path} to be a sink, such as sink(async (items) => …, { name }), got ${shown(value)}`
  const { name, limits, ...rest } = value as Record<string, unknown>
  const wrongName = nonEmptyText.problem(name, `${path}.name`)
  if (wrongName !== undefined) return wrongName
  if (name === SCHEMA_SOURCE)
    return `expected ${path}.name to be a name of your own, got '${SCHEMA_SOURCE}', which rejects of a schema have`
  if (limits !== undefined) {
    const wrongLimits = SINK_LIMITS_RULE.problem(limits, `${path}.limits`)
    if (wrongLimits !== undefined) return wrongLimits
  }
  for (const [member, rule] of Object.entries(MEMBERS)) {
    const problem = rest[member] === undefined ? undefined : rule.problem(rest[member], `${path}.${member}`)
    if (problem !== undefined) return problem
  }
  return undefined
}
