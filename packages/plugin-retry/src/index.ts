// The one door of @avocet/plugin-retry.
export { retry, type RetryOptions } from './retry.ts'
export { classOfFailure, classOfStatus, type RetryClass } from './classify.ts'
