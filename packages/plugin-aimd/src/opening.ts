// How fast a host may be asked in its first forty seconds, independent of what a law has found by then. Pure.
//
// Sites that ban count the requests of strangers over seconds, and say nothing before they do. A law that doubles with every answer is at the
// user's maximum before the first page is read, and learns of the ban by being banned. So a tenth of the maximum for ten seconds, then twice as
// much for each ten: a crawl of twenty pages costs its host next to nothing, and a long one loses seconds. It scales with what the user allows:
// a user who allows 200 a second knows the server. Measured on the world `eight-hundred`, whose ten banning hosts allow about 2.5 a second: banned hosts
// 8 → 0, refusals 0.7 → 0.11 % (a fifth: 0.35 %), and the same makespan.

const SHARE = 1 / 10
const STEP_MS = 10_000

/** After this there is no such limit: four doublings are more than a tenth leaves open. */
export const OPEN_AFTER_MS: number = 4 * STEP_MS

/** Requests per second, at most, so long after the first request. A clock that went back since takes no time. */
export function openingRps(
  { startRps, maxRps }: { readonly startRps: number; readonly maxRps: number },
  sinceMs: number,
): number {
  const first = Math.max(startRps, SHARE * maxRps)
  return sinceMs >= OPEN_AFTER_MS ? maxRps : Math.min(maxRps, first * 2 ** Math.floor(Math.max(0, sinceMs) / STEP_MS))
}
