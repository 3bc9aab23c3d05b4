// The law of the textbook: so many failures in a row, and nothing else. With the circuit's proper half-open state around it.
import type { TripLaw } from './trip-law.ts'

/** The law `consecutive`. */
export function consecutiveLaw(failures: number): TripLaw {
  return { name: 'consecutive', trips: ({ inRow }) => (inRow >= failures ? 'failing' : undefined) }
}
