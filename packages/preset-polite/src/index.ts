// The one door of @avocet/preset-polite.
export { polite, type PoliteOptions } from './polite.ts'
