// How often one host was requested and refused lately, and at which pace, bin by bin: a text of some six characters a bin, to which one is
// added without reading it.
//
// It begins with the place of the last bin; each bin says how far it is from the one before it. So what is dropped at the front changes nothing behind it.
import type { HostView } from '@avocet/core/plugin'
import { DigitReader, digitsOf } from './rate-bin.ts'

/** A stretch of time: it begins at `place × width`, epoch ms. */
export interface RingBin {
  readonly place: number
  /** Exchanges that ended, refusals (429, 503) among them. */
  readonly requests: number
  readonly refusals: number
  /** Requests a second that its rate policy had found at the end of it, as `paceWord` writes it. */
  readonly pace: number
}

const HEAD = ' '
const NEXT = ','

/** `text` with one more bin, and at most `most` of them. */
export function withRingBin(text: string, bin: RingBin, most: number): string {
  const [head = '', ...rest] = text.split(HEAD)
  const last = text === '' ? bin.place : new DigitReader(head).number()
  const one =
    digitsOf(bin.place - last) + digitsOf(bin.pace) + digitsOf(bin.requests) + (bin.refusals > 0 ? digitsOf(bin.refusals) : '')
  const bins = text === '' ? [one] : [...rest.join(HEAD).split(NEXT), one].slice(-most)
  return digitsOf(bin.place) + HEAD + bins.join(NEXT)
}

/** The bins of a text, oldest first. */
export function ringBins(text: string): readonly RingBin[] {
  const [head = '', bins = ''] = text.split(HEAD)
  if (bins === '') return []
  let place = new DigitReader(head).number()
  const read: RingBin[] = []
  for (const one of bins.split(NEXT).toReversed()) {
    const digits = new DigitReader(one)
    const [step, pace, requests, refusals] = [digits.number(), digits.number(), digits.number(), digits.number()]
    read.push({ place, requests, refusals, pace })
    place -= step
  }
  return read.toReversed()
}

/** So many steps in a rate that is e times as large: each is 2 %. */
const STEPS = 50
const SLOWEST_RPS = 0.001

/** A rate as a number of two digits; 0 where there is none. */
export function paceWord(rps: number): number {
  if (!Number.isFinite(rps) || rps <= 0) return 0
  return Math.max(1, 1 + Math.round(STEPS * Math.log(rps / SLOWEST_RPS)))
}

/** Requests a second, within 1 %; undefined where there is no rate. */
export function paceRps(word: number): number | undefined {
  return word === 0 ? undefined : Number((SLOWEST_RPS * Math.exp((word - 1) / STEPS)).toPrecision(3))
}

// What one host was asked lately, and the rate that was found: an hour in steps of 20 s, a day of 10 min, a month of 3 h. Before that there is its timeline.
//
// The open bins are in the memory of the host; those that are over are in a text of their own each, which is written when a bin is over, not with each unit.

/** Names begin with that of the plugin. */
export const RINGS = [
  { name: 'journal hour', widthMs: 20_000, most: 200 },
  { name: 'journal day', widthMs: 600_000, most: 200 },
  { name: 'journal month', widthMs: 10_800_000, most: 250 },
] as const

/** Open bins, one after another: place, requests, refusals and pace of each ring. */
export type OpenRings = number[]

/** Numbers of an open bin. */
const FIELDS = 4

/** Rings in which nothing was noted. */
export function openRings(): OpenRings {
  return Array.from({ length: FIELDS * RINGS.length }, () => 0)
}

/** Notes the end of an exchange at `now` (epoch ms) in `open`. */
export function noteInRings(host: HostView, open: OpenRings, { now, refused }: { now: number; refused: boolean }): void {
  const pace = paceWord(host.pacedRps)
  RINGS.forEach(({ name, widthMs, most }, ring) => {
    const at = ring * FIELDS
    const place = Math.max(0, Math.floor(now / widthMs))
    if ((open[at + 1] ?? 0) > 0 && place > (open[at] ?? 0)) {
      host.keepBlob(name, withRingBin(host.blob(name) ?? '', openBin(open, ring), most))
      open[at + 1] = open[at + 2] = 0
    }
    open[at] = place
    open[at + 1] = (open[at + 1] ?? 0) + 1
    open[at + 2] = (open[at + 2] ?? 0) + (refused ? 1 : 0)
    open[at + 3] = pace
  })
}

/** All bins of a ring; `text`: that of its blob. */
export function binsOfRing(ring: number, text: string | undefined, open: readonly number[] = []): readonly RingBin[] {
  const bin = openBin(open, ring)
  return [...ringBins(text ?? ''), ...(bin.requests > 0 ? [bin] : [])]
}

function openBin(open: readonly number[], ring: number): RingBin {
  const [place = 0, requests = 0, refusals = 0, pace = 0] = open.slice(ring * FIELDS, (ring + 1) * FIELDS)
  return { place, requests, refusals, pace }
}
