// What a sink in a configuration may be.
import { option, type OptionRule, type OptionRules } from '@avocet/core/plugin'
import type { Sink, SinkLimits } from '@avocet/core/sink'
import { HELD_SOURCE, SCHEMA_SOURCE } from '@avocet/core/store'

const { anyObject, atLeast, callback, flag, hasMembers, listOf, memberProblems, needed, nonEmptyText, orInfinity, satisfying } =
  option
const { synchronous, tableOf, wholeNumber } = option

const NAME = satisfying(
  `a name of your own: '${SCHEMA_SOURCE}' and '${HELD_SOURCE}' are sources of rejects`,
  (name) => nonEmptyText.problem(name, '') === undefined && name !== SCHEMA_SOURCE && name !== HELD_SOURCE,
)

const SINK: OptionRules<Sink> = {
  name: needed(NAME),
  write: needed(callback),
  limits: tableOf<SinkLimits>({
    maxItems: wholeNumber(1),
    maxBytes: wholeNumber(1),
    maxWaitMs: atLeast(0),
    timeoutMs: orInfinity(atLeast(1)),
  }),
  filter: synchronous,
  changes: flag,
  columns: listOf(nonEmptyText),
  options: anyObject,
  open: callback,
  finish: callback,
  close: callback,
}

/** Sinks with names of their own. */
export const SINKS_RULE: OptionRule = {
  expected: 'a list of sinks, such as sink(async (items) => …, { name })',
  problem(value, path) {
    const problem = listOf({ expected: 'a sink', problem: sinkProblem }).problem(value, path)
    if (problem !== undefined) return problem
    const names = (value as readonly Sink[]).map(({ name }) => name)
    const twice = names.find((name, n) => names.indexOf(name) < n)
    return twice && `expected each sink in ${path} to have a name of its own, got '${twice}' twice; give one another name`
  },
}

/** It may be of a class, with members of its own. */
function sinkProblem(value: unknown, path: string): string | undefined {
  return hasMembers(value)
    ? memberProblems(value, SINK, `${path}.`)[0]
    : satisfying('a sink, such as sink(async (items) => …, { name })', hasMembers).problem(value, path)
}
