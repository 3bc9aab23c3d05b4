// The one door of @avocet/plugin-breaker.
export { breaker, type BreakerOptions } from './breaker.ts'
export type { Signal } from './signal.ts'
export type { Sighting, TripKind, TripLaw } from './trip-law.ts'
export type { RecentTrouble } from './trouble.ts'
