// How often one host was requested and refused lately, and at which pace, bin by bin: a text of some six characters a bin, to which one is
// added without reading it.
//
// It begins with the place of the last bin; each bin says how far it is from the one before it. So what is dropped at the front changes nothing behind it.
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
