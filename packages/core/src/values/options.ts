// Options as they come from a user, perhaps without types: a table of rules, one for each option, and one check for all packages.
//
// A rule knows how to complete "expected X to be …" and finds what is wrong with a value. Rules nest: a table, a list or a record checks what is
// inside, and a message names the place (`discoveryLimits.urlsPerItem`, `hosts[1].name`). `undefined` counts as left out. The type of a table has
// every key of the interface that it is for, so an option without a rule does not compile.
import { didYouMean } from './closest.ts'
import { AvocetError } from './errors.ts'
import { shown } from './shown.ts'

/** What one option must be. */
export interface OptionRule {
  /** Completes "expected X to be …". */
  readonly expected: string
  /** What is wrong with `value`, which a message calls `path`; undefined if nothing is. */
  problem(value: unknown, path: string): string | undefined
  /** Whether the option cannot be left out. */
  readonly isNeeded?: boolean
}

/** One rule for each option of an interface. */
export type OptionRules<Options extends object> = { readonly [Name in keyof Options]-?: OptionRule }

/**
 * Checks options against their rules: no unknown names, every value within its rule.
 *
 * @param owner who has the options: messages read `aimd: maxRps`.
 * @throws AVO_CONFIG_INVALID that says what was expected and what came, and which name was probably meant.
 * @example
 * ```ts
 * import type { OptionRules } from '@avocet/core/plugin'
 *
 * interface SampleOptions {
 *   readonly everyMs?: number
 *   readonly order?: 'first' | 'last'
 * }
 * const RULES: OptionRules<SampleOptions> = { everyMs: positive, order: oneOf('first', 'last') }
 * checkOptions('sample', { everyMs: 5_000 }, RULES)
 * ```
 */
export function checkOptions<Options extends object>(owner: string, options: unknown, rules: OptionRules<Options>): void {
  const problem = isTable(options)
    ? optionsProblem(owner, options, rules)
    : wrong(`the options of ${owner}`, 'an object', options)
  if (problem !== undefined) throw new AvocetError('AVO_CONFIG_INVALID', problem)
}

/** The error for a value that a rule cannot judge alone, such as a minimum above the maximum. */
export function wrongOption(path: string, expected: string, got: unknown): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', wrong(path, expected, got))
}

/**
 * A rule of your own: `expected` completes "expected X to be …", and `advice` says what to do.
 *
 * @example
 * ```ts
 * const even = satisfying('an even number', (value) => typeof value === 'number' && value % 2 === 0)
 * even.problem(3, 'slots') // 'expected slots to be an even number, got 3'
 * ```
 */
export function satisfying(expected: string, holds: (value: unknown) => boolean, advice?: string): OptionRule {
  const hint = advice === undefined ? '' : `; ${advice}`
  return { expected, problem: (value, path) => (holds(value) ? undefined : wrong(path, expected, value) + hint) }
}

/** A finite number above 0. */
export const positive: OptionRule = satisfying('a number above 0', (value) => isFiniteNumber(value) && value > 0)

/** A finite number of at least `least`. */
export function atLeast(least: number): OptionRule {
  return satisfying(`a number of at least ${least}`, (value) => isFiniteNumber(value) && value >= least)
}

/** A number from `least` to `most`. */
export function between(least: number, most: number): OptionRule {
  return satisfying(`a number from ${least} to ${most}`, (value) => isFiniteNumber(value) && value >= least && value <= most)
}

/** A whole number of at least `least`, and at most `most` if that is given. */
export function wholeNumber(least: number, most?: number): OptionRule {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`
  const isWithin = (value: number): boolean => value >= least && value <= (most ?? Number.MAX_SAFE_INTEGER)
  return satisfying(`a whole number ${range}`, (value) => Number.isSafeInteger(value) && isWithin(Number(value)))
}

/** True or false. */
export const flag: OptionRule = satisfying('true or false', (value) => typeof value === 'boolean')

/** A text, also an empty one. */
export const anyText: OptionRule = satisfying('a text', (value) => typeof value === 'string')

/** A text that is not empty. */
export const nonEmptyText: OptionRule = satisfying(
  'a text that is not empty',
  (value) => typeof value === 'string' && value !== '',
)

/** A function. */
export const callback: OptionRule = satisfying('a function', (value) => typeof value === 'function')

/** A function that answers at once. A promise would count as true, whatever it resolves to. */
export const synchronous: OptionRule = {
  expected: 'a function that answers at once',
  problem: (value, path) =>
    Object.prototype.toString.call(value) === '[object AsyncFunction]'
      ? `expected ${path} to answer at once, got an async function; remove async`
      : callback.problem(value, path),
}

/** One of a few words or numbers. */
export function oneOf(...words: readonly (string | number)[]): OptionRule {
  const expected = inWords(words.map((word) => (typeof word === 'string' ? `'${word}'` : String(word))))
  const names = words.filter((word) => typeof word === 'string')
  const holds = (value: unknown): boolean => words.some((word) => word === value)
  const hint = (value: unknown): string => (typeof value === 'string' ? didYouMean(value, names) : '')
  return { expected, problem: (value, path) => (holds(value) ? undefined : wrong(path, expected, value) + hint(value)) }
}

/**
 * What one of several rules takes.
 *
 * @example
 * ```ts
 * either(positive, oneOf('off')).problem(0, 'delayMs') // "expected delayMs to be a number above 0, or 'off', got 0"
 * ```
 */
export function either(...rules: readonly OptionRule[]): OptionRule {
  const expected = rules.map((rule) => rule.expected).join(', or ')
  return satisfying(expected, (value) => rules.some((rule) => rule.problem(value, '') === undefined))
}

/** What `rule` takes, or Infinity. */
export function orInfinity(rule: OptionRule): OptionRule {
  const infinity = satisfying('Infinity', (value) => value === Infinity)
  return either(rule, infinity)
}

/** What `rule` takes, or false: for a part that can be left out. */
export function orFalse(rule: OptionRule): OptionRule {
  const off = satisfying('false', (value) => value === false)
  return either(rule, off)
}

/** What `rule` takes; it cannot be left out. */
export function needed(rule: OptionRule): OptionRule {
  return { ...rule, isNeeded: true }
}

/** An object, whatever is in it. */
export const anyObject: OptionRule = satisfying('an object', hasMembers)

/** An object with the options that `rules` has. */
export function tableOf<Options extends object>(rules: OptionRules<Options>): OptionRule {
  const expected = 'an object'
  const problem = (value: unknown, path: string): string | undefined =>
    isTable(value) ? optionsProblem(path, value, rules, '.') : wrong(path, expected, value)
  return { expected, problem }
}

/** An object with names of the user's choice, as `name` says if it is given, each with what `rule` takes. */
export function recordOf(rule: OptionRule, name: OptionRule = anyText): OptionRule {
  const expected = 'an object'
  const memberProblem = (key: string, value: unknown, path: string): string | undefined =>
    name.problem(key, `each name in ${path}`) ?? rule.problem(value, `${path}['${key}']`)
  const problem = (value: unknown, path: string): string | undefined =>
    isTable(value) ? first(Object.entries(value), ([key, each]) => memberProblem(key, each, path)) : wrong(path, expected, value)
  return { expected, problem }
}

/** A list, each entry as `rule` says. */
export function listOf(rule: OptionRule): OptionRule {
  const expected = 'a list'
  const problem = (value: unknown, path: string): string | undefined =>
    Array.isArray(value)
      ? first([...value.entries()], ([n, each]) => rule.problem(each, `${path}[${n}]`))
      : wrong(path, expected, value)
  return { expected, problem }
}

/** What is wrong with the names of options, or with the first value that has a flaw: `aimd: maxRps`, `timeLimits.connectMs`. */
export function optionsProblem(owner: string, given: object, rules: object, separator = ': '): string | undefined {
  const stranger = strangerIn(given, rules)
  if (stranger !== undefined) return `${owner === '' ? 'there is' : `${owner} has`} ${stranger}`
  return memberProblems(given, rules, owner === '' ? '' : owner + separator)[0]
}

/** The first name in `given` that `rules` does not have: `no option 'maxRsp' (did you mean 'maxRps'?)`; undefined if there is none. */
export function strangerIn(given: object, rules: object): string | undefined {
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(rules, name))
  if (stranger === undefined) return undefined
  const names = Object.keys(rules)
  return `no option '${stranger}'${didYouMean(stranger, names) || `; the options are ${names.join(', ')}`}`
}

/** What is wrong with the members of an object that `rules` has, whatever else is in it. `before` goes before their names. */
export function memberProblems(given: object, rules: object, before: string): readonly string[] {
  const values = given as Readonly<Record<string, unknown>>
  return Object.entries(rules as Readonly<Record<string, OptionRule>>).flatMap(([name, rule]) =>
    values[name] === undefined && rule.isNeeded !== true ? [] : (rule.problem(values[name], before + name) ?? []),
  )
}

/**
 * Options of a plugin as `Plugin.options` has them: texts, finite numbers and flags as they are, a law by its name, and nothing else.
 *
 * @example
 * ```ts
 * reportedOptions({ maxRps: 5, law: { name: 'gentle', next: () => 1 } }) // { maxRps: 5, law: 'gentle' }
 * ```
 */
export function reportedOptions(options: object): Readonly<Record<string, string | number | boolean>> {
  const known = Object.entries(options).map(([name, value]: [string, unknown]) => {
    const law: unknown = hasMembers(value) && 'name' in value ? value.name : value
    return [name, law] as const
  })
  return Object.fromEntries(
    known.filter((option): option is readonly [string, string | number | boolean] => {
      const [, value] = option
      return typeof value === 'string' || typeof value === 'boolean' || isFiniteNumber(value)
    }),
  )
}

/** The first problem that any of them has. */
function first<Each>(all: readonly Each[], problemOf: (each: Each) => string | undefined): string | undefined {
  for (const each of all) {
    const problem = problemOf(each)
    if (problem !== undefined) return problem
  }
  return undefined
}

function wrong(path: string, expected: string, got: unknown): string {
  return `expected ${path} to be ${expected}, got ${shownWhole(got)}`
}

const MOST_PARTS = 3
/** A longer text may be a secret. */
const MOST_TEXT = 8

/** A list or an object with the first things in it. */
function shownWhole(got: unknown): string {
  if (!isTable(got) && !Array.isArray(got)) return shown(got)
  const part = (value: unknown): string => (typeof value === 'string' && value.length > MOST_TEXT ? 'a text' : shown(value))
  const parts = Object.entries(got).map(([name, value], n) => {
    if (n >= MOST_PARTS) return '…'
    return Array.isArray(got) ? part(value) : `${name}: ${part(value)}`
  })
  const inside = parts.slice(0, MOST_PARTS + 1).join(', ')
  if (Array.isArray(got)) return `[${inside}]`
  return inside === '' ? '{}' : `{ ${inside} }`
}

/** A table as it is written: what is inherited, or in a Map, would be read by nobody. */
function isTable(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const parent: unknown = Object.getPrototypeOf(value)
  return parent === null || Object.getPrototypeOf(parent) === null
}

/** Whether it is an object, and no list. */
export function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** `a, b or c`. */
function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
}
