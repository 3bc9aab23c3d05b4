// The one door of @avocet/preset-polite.
export { polite, ratePolicy, type PoliteOptions } from './polite.ts'
