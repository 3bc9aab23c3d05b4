// Options of the retry plugin: what may be set, checked when the plugin is made.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { RetryLimits } from './decide.ts'

/** Everything may be left out. */
export interface RetryOptions {
  /** Maximum attempts at a page. The first retries after refusals and outages do not count. 1 = only those. Default 4; some kinds of trouble get fewer. */
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

const RULES: OptionRules<RetryOptions> = {
  maxAttempts: option.wholeNumber(1, 100),
  maxHandlerAttempts: option.wholeNumber(1, 100),
  idempotent: option.flag,
  retryUnsafe: option.flag,
}

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function retryRules(options: RetryOptions): RetryRules {
  checkOptions('retry', options, RULES)
  const { maxAttempts = 4, maxHandlerAttempts = 1, idempotent = false, retryUnsafe = false } = options
  return { maxAttempts, maxHandlerAttempts, idempotent, retryUnsafe }
}
