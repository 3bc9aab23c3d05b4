// What one host was asked lately, and the rate that was found: an hour in steps of 20 s, a day of 10 min, a month of 3 h. Before that there is its timeline.
//
// The open bins are in the memory of the host; those that are over are in a text of their own each, which is written when a bin is over, not with each turn.
import type { HostView } from '@avocet/core/plugin'
import { paceWord, ringBins, withRingBin, type RingBin } from './laws/rate-ring.ts'

/** Names begin with that of the plugin. */
export const RINGS = [
  { name: 'journal hour', widthMs: 20_000, most: 200 },
  { name: 'journal day', widthMs: 600_000, most: 200 },
  { name: 'journal month', widthMs: 10_800_000, most: 250 },
] as const

/** Open bins, one after another: place, requests, refusals and pace of each ring. */
export type OpenRings = readonly number[]

/** Numbers of an open bin. */
const FIELDS = 4

/** Notes the end of an exchange at `now` (epoch ms). */
export function noteInRings(
  host: HostView,
  open: OpenRings = [],
  { now, refused }: { now: number; refused: boolean },
): OpenRings {
  const pace = paceWord(host.pacedRps)
  const noted: number[] = []
  for (const { name, widthMs, most } of RINGS) {
    const first = noted.length
    const { [first]: before = 0, [first + 1]: requests = 0, [first + 2]: refusals = 0 } = open
    const place = Math.max(0, Math.floor(now / widthMs))
    const isOver = requests > 0 && place > before
    if (isOver) host.keepBlob(name, withRingBin(host.blob(name) ?? '', openBin(open, first / FIELDS), most))
    noted.push(place, (isOver ? 0 : requests) + 1, (isOver ? 0 : refusals) + (refused ? 1 : 0), pace)
  }
  return noted
}

/** All bins of a ring; `text`: that of its blob. */
export function binsOfRing(ring: number, text: string | undefined, open: OpenRings = []): readonly RingBin[] {
  const bin = openBin(open, ring)
  return [...ringBins(text ?? ''), ...(bin.requests > 0 ? [bin] : [])]
}

function openBin(open: OpenRings, ring: number): RingBin {
  const [place = 0, requests = 0, refusals = 0, pace = 0] = open.slice(ring * FIELDS, (ring + 1) * FIELDS)
  return { place, requests, refusals, pace }
}
