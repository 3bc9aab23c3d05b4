// The one door of @avocet/plugin-freshness.
export { adaptive, type AdaptiveOptions } from './freshness.ts'
