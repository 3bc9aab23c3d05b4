// Options of the retry plugin: what may be set, checked when the plugin is made.
import { AvocetError } from '@avocet/core'
import type { RetryLimits } from './decide.ts'

/** Everything may be left out. */
export interface RetryOptions {
  /** Attempts of one page in all, those counted that count. 1 = no retries but after refusals and outages. Default 4; some kinds of trouble are given fewer. */
  readonly maxAttempts?: number
  /** Attempts at a page whose handler fails. Default 1: a handler that threw will throw again. */
  readonly maxHandlerAttempts?: number
  /** PUT and DELETE may be sent twice. Default false. */
  readonly idempotent?: boolean
  /** Every method may be sent twice. Default false: a POST is repeated only if nothing of it was sent, or if it was refused. */
  readonly retryUnsafe?: boolean
}

/** The options without holes. */
export interface RetryRules extends RetryLimits {
  readonly maxHandlerAttempts: number
}

const RULES = {
  maxAttempts: { expected: 'a whole number from 1 to 100', holds: isCount },
  maxHandlerAttempts: { expected: 'a whole number from 1 to 100', holds: isCount },
  idempotent: { expected: 'true or false', holds: isBoolean },
  retryUnsafe: { expected: 'true or false', holds: isBoolean },
} as const

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function retryRules(options: RetryOptions): RetryRules {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(RULES, name)) throw wrong(`the options of retry to be among ${Object.keys(RULES).join(', ')}`, name)
    const { expected, holds } = RULES[name as keyof RetryOptions]
    if (value !== undefined && !holds(value)) throw wrong(`${name} of retry to be ${expected}`, value)
  }
  const { maxAttempts = 4, maxHandlerAttempts = 1, idempotent = false, retryUnsafe = false } = options
  return { maxAttempts, maxHandlerAttempts, idempotent, retryUnsafe }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function wrong(what: string, got: unknown): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', `expected ${what}, got ${String(got)}`)
}
