// Options as they come from a user, perhaps without types: what is wrong is said when plugin or law is made.
import { AvocetError } from '@avocet/core'

/** What an option must be. */
export interface OptionRule {
  /** Completes "expected X to be …". */
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

/** Above 0 and finite. */
export const DURATION: OptionRule = {
  expected: 'a number of ms above 0',
  holds: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
}

/** A number from `least` to `most`. */
export function numberBetween(expected: string, least: number, most: number): OptionRule {
  return { expected, holds: (value) => typeof value === 'number' && value >= least && value <= most }
}

/** Throws AVO_CONFIG_INVALID unless `options` of `owner` are among the rules, and within them. `undefined` counts as left out. */
export function check(
  owner: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
  needed: readonly string[] = [],
): void {
  if (typeof options !== 'object' || options === null)
    throw wrong(`expected the options of ${owner} to be an object, got ${shown(options)}`)
  const given = new Map<string, unknown>(Object.entries(options))
  for (const name of needed) if (given.get(name) === undefined) throw wrong(`expected ${owner} to be given ${name}, got none`)
  for (const [name, value] of given) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined)
      throw wrong(`expected an option of ${owner} to be one of ${Object.keys(rules).join(', ')}, got '${name}'`)
    if (value !== undefined && !rule.holds(value)) {
      throw wrong(`expected ${name} of ${owner} to be ${rule.expected}, got ${shown(value)}`)
    }
  }
}

function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : (JSON.stringify(value) ?? typeof value)
}

function wrong(message: string): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', message)
}
