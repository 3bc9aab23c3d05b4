// What holds when nobody says anything: core's own defaults, as `avocet config` shows them. Core fills them in; a test holds the two together.
//
// `delayMs` and `maxPerHost` are not among them: core's fixed spacing counts only when no plugin paces, and saying them asks for it.
import {
  DEFAULT_BODY_BUDGET_BYTES,
  DEFAULT_DISCOVERY_LIMITS,
  DEFAULT_SIZE_LIMITS,
  DEFAULT_TIME_LIMITS,
  type CrawlConfig,
} from '@avocet/core'

/** The weakest layer. */
export const BUILT_IN: Partial<CrawlConfig> = {
  userAgent: 'avocet/0.1 (+https://www.npmjs.com/package/@avocet/cli)',
  concurrency: 100,
  patienceMs: 900_000,
  allowPrivate: false,
  hostKeying: 'host',
  maxHandlers: 64,
  handlerTimeoutMs: 60_000,
  maxYields: 100_000,
  html: 'parse5',
  drainMs: 30_000,
  timeLimits: DEFAULT_TIME_LIMITS,
  sizeLimits: DEFAULT_SIZE_LIMITS,
  bodyBudgetBytes: DEFAULT_BODY_BUDGET_BYTES,
  discoveryLimits: DEFAULT_DISCOVERY_LIMITS,
}

/** Of core's fixed spacing, where no plugin paces. */
export const BUILT_IN_SPACING: Required<Pick<CrawlConfig, 'delayMs' | 'maxPerHost'>> = { delayMs: 1_000, maxPerHost: 1 }
