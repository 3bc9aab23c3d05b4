// The law that never trips: to measure what the breaker is worth, or to leave hosts to core's three probes.
import type { TripLaw } from './trip-law.ts'

/** The law `none`. */
export const NO_LAW: TripLaw = { name: 'none', trips: () => undefined }
