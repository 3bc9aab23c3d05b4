// Bursts: a shop re-prices hundreds of products at once. Whoever sees a few of them changed that rarely change knows that the others are likely to be, too.
//
// Each visit is weighed as evidence for a burst against none (a cumulative sum of logarithms of likelihood ratios: Page 1954). Once it is great enough there is
// a burst, and what share of the pages it takes is estimated while they are visited: a false alarm ends after a dozen of them. A miss costs all pages
// half their interval, so an alarm that is false thirty times out of thirty-one is worth it; the rarer bursts are at a host, the more evidence that takes.

/** What is known of the bursts of a host. Plain JSON. Moments are hours since the epoch. */
export interface Bursts {
  /** Logarithm of how much likelier a burst is than none, by the visits since `from`. */
  evidence: number
  from: number
  /** The last burst: since when, pages visited since, and how many changed by it. */
  at: number
  visited: number
  hit: number
  /** Bursts that there were, and the sum of the shares of pages that they took. */
  count: number
  shares: number
  /** Since when they are counted. */
  since: number
}

/** False alarms that are worth one true one. */
const FALSE_ALARMS = 30
const LEAST_ALARM = 3
/** Taken for granted of a first one, and of the share of the next one while few pages were visited. */
const USUAL_SHARE = 0.4
const WORTH = 3
/** A burst of fewer is over, or was none. */
const LEAST_SHARE = 0.15
/** Before the first burst: one in four days. */
const FIRST_BURSTS = 0.5
const FIRST_HOURS = 48

export function noBursts(now: number): Bursts {
  return { evidence: 0, from: now, at: -1, visited: 0, hit: 0, count: 0, shares: 0, since: now }
}

/** Share of the pages that bursts took so far. */
function usualShare({ count, shares }: Bursts): number {
  return (shares + USUAL_SHARE) / (count + 1)
}

/** Bursts an hour. */
function burstsPerHour({ count, since }: Bursts, now: number): number {
  return (count + FIRST_BURSTS) / (now - since + FIRST_HOURS)
}

/** Changes an hour that bursts are to be expected to make of each page. */
export function burstRate(bursts: Bursts, now: number): number {
  return usualShare(bursts) * burstsPerHour(bursts, now)
}

/** Probability that the last burst changed a page that was last visited at `visitedAt`. */
export function burstShare(bursts: Bursts, visitedAt: number): number {
  if (visitedAt >= bursts.at) return 0
  const share = (bursts.hit + WORTH * usualShare(bursts)) / (bursts.visited + WORTH)
  return share < LEAST_SHARE ? 0 : share
}

/** A visit, as evidence. */
export interface BurstVisit {
  readonly now: number
  /** Of the visit before. */
  readonly visitedAt: number
  readonly changed: boolean
  /** Probability that it had changed by itself. */
  readonly own: number
  /** Of the host. */
  readonly visitsPerHour: number
}

/** Takes a visit into account; whether a burst begins with it. */
export function sawVisit(bursts: Bursts, { now, visitedAt, changed, own, visitsPerHour }: BurstVisit): boolean {
  const isOfLast = burstShare(bursts, visitedAt) > 0
  if (visitedAt < bursts.at) {
    bursts.visited += 1 - own
    bursts.hit += Number(changed) - own
  }
  // Of a page that the last burst may have changed, a change says nothing of another one.
  if (isOfLast) return false
  const weight = changed ? Math.log((own + (1 - own) * USUAL_SHARE) / Math.max(own, 1e-3)) : Math.log(1 - USUAL_SHARE)
  if (bursts.evidence + weight <= 0) Object.assign(bursts, { evidence: 0, from: now })
  else bursts.evidence += weight
  const alarm = Math.max(LEAST_ALARM, Math.log(visitsPerHour / burstsPerHour(bursts, now) / FALSE_ALARMS))
  if (bursts.evidence < alarm) return false
  counted(bursts)
  Object.assign(bursts, { evidence: 0, at: bursts.from, visited: 0, hit: 0 })
  return true
}

/** The last burst is over, or was none: what it says of the next one. */
function counted(bursts: Bursts): void {
  const share = bursts.at < 0 ? 0 : bursts.hit / Math.max(1, bursts.visited)
  if (bursts.visited < WORTH || share < LEAST_SHARE) return
  bursts.count++
  bursts.shares += share
}
