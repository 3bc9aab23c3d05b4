// The one door of @avocet/plugin-adaptive-timeout.
export { adaptiveTimeout, type AdaptiveTimeoutOptions } from './adaptive-timeout.ts'
export { quantile, type QuantileOptions, type QuantileState } from './laws/quantile.ts'
export { fixedTimeout, type Around, type InTime, type TimedOut, type TimeoutLaw, type TimeoutState } from './timeout-law.ts'
