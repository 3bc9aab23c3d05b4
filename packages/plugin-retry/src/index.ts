// The one door of @avocet/plugin-retry.
export { retry } from './retry.ts'
export type { RetryOptions } from './retry-options.ts'
export { classOfFailure, classOfStatus, type RetryClass } from './classify.ts'
