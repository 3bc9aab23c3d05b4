// The default law: so many failures in a row, or too large a share of them within a minute; a ban, a long refusal and a hopeless host at once.
//
// A count alone misses hosts that fail half of the time, a ratio alone is slow with few requests (resilience4j wants 100 calls, a crawler has 10).
// Out of the blue three of five failures suffice, with no answer in between: where one page in three fails, failures in a row are chance; where none
// did, they are an outage, and of a host that comes and goes two will do. Two failures suffice for a host that never answered: of a new crawl's hosts one in twenty is dead, and each probe costs a whole timeout.
import type { Sighting, TripLaw } from './trip-law.ts'
import { recentOutcomes, type RecentTrouble } from './trouble.ts'

const FRAGILE_FAILURES = 2
const BLUE_SHARE = 0.6
const BLUE_AGAIN_SHARE = 0.4
const LEAST_OUTCOMES = 10
const FAILURE_RATIO = 0.6
/** So many refusals and not one answer, or refusals only for so long: then it is no longer a matter of pace. */
const REFUSALS = 10
const BLACKOUT_MS = 60_000
const BLACKOUT_REFUSALS = 3

/** The law `ratio`. `failures`: so many in a row open the circuit. */
export function ratioLaw(failures: number): TripLaw {
  return {
    name: 'ratio',
    trips(trouble, seen) {
      const { signal, banned, fragile, comesAndGoes } = seen
      if (signal.kind === 'hopeless') return signal.of
      if (signal.kind === 'blocked') return banned ? 'blocked' : undefined
      if (signal.kind === 'refused') return isBlackout(trouble, seen) ? 'refused' : undefined
      const isFailure = signal.kind === 'failure' || signal.kind === 'error'
      const inRow = fragile ? Math.min(failures, FRAGILE_FAILURES) : failures
      const outOfTheBlue = Math.max(Math.min(inRow, FRAGILE_FAILURES), inRow * (comesAndGoes ? BLUE_AGAIN_SHARE : BLUE_SHARE))
      return isFailure && isFailing(trouble, inRow, outOfTheBlue) ? 'failing' : undefined
    },
  }
}

function isBlackout({ refused, refusedSince }: RecentTrouble, { now }: Sighting): boolean {
  return refused >= REFUSALS || (refused >= BLACKOUT_REFUSALS && now - refusedSince >= BLACKOUT_MS)
}

function isFailing(trouble: RecentTrouble, inRow: number, outOfTheBlue: number): boolean {
  const { outcomes, failureRatio } = recentOutcomes(trouble)
  const tooMany = outcomes >= LEAST_OUTCOMES && failureRatio >= FAILURE_RATIO
  return trouble.inRow >= inRow || tooMany || (failureRatio === 1 && trouble.inRow >= outOfTheBlue)
}
