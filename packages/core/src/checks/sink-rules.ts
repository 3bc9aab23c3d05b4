// What a sink in a configuration may be.
import {
  anyObject,
  atLeast,
  callback,
  listOf,
  memberProblems,
  nonEmptyText,
  orInfinity,
  synchronous,
  tableOf,
  wholeNumber,
  type OptionRule,
} from '../values/options.ts'
import { SCHEMA_SOURCE } from '../ports/reject.ts'
import { shown } from '../values/shown.ts'
import type { SinkLimits } from '../ports/sink.ts'

/** Limits of the batches of a sink. */
export const SINK_LIMITS_RULE: OptionRule = tableOf<SinkLimits>({
  maxItems: wholeNumber(1),
  maxBytes: wholeNumber(1),
  maxWaitMs: atLeast(0),
  timeoutMs: orInfinity(atLeast(1)),
})

const MEMBERS: Readonly<Record<string, OptionRule>> = {
  name: {
    ...nonEmptyText,
    isNeeded: true,
    problem: (name, path) =>
      name === SCHEMA_SOURCE
        ? `expected ${path} to be a name of your own, got '${SCHEMA_SOURCE}', which rejects of a schema have`
        : nonEmptyText.problem(name, path),
  },
  limits: SINK_LIMITS_RULE,
  filter: synchronous,
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
  return memberProblems(value as object, MEMBERS, `${path}.`)[0]
}
