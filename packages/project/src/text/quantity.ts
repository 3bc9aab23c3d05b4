// Numbers as people read them: counts with thousands separators, rates, ratios, moments. Durations are core's, whose messages have some too.

/** In place of a quantity that there is not. */
const NONE = '–'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** `12034` as `12,034`. Without Intl, which takes 20 ms to load. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `3 pages`, `1 page`. The plural is regular unless given. */
export function formatCountOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`
}

/** `0.25 /s`, `12.4 /s`, `1,400 /s`; a dash where there is none. */
export function formatRate(perSecond: number | null): string {
  if (perSecond === null) return NONE
  if (perSecond >= 100) return `${formatCount(perSecond)} /s`
  return `${perSecond.toFixed(perSecond >= 1 || perSecond === 0 ? 1 : 2)} /s`
}

/** `0.42 %`, `4.2 %`, `42 %` of a ratio. */
export function formatRatio(ratio: number): string {
  return `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.01 ? 2 : ratio < 0.1 ? 1 : 0)} %`
}

/** `3.2 %`: which ratio `part` is of `whole`; of nothing, none. */
export function formatShare(part: number, whole: number): string {
  return formatRatio(whole === 0 ? 0 : part / whole)
}

/** `2026-11-21 17:30:05 UTC`: an owner compares it with a log of their own. `at`: epoch ms. */
export function formatMoment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** A guess, in one unit and not exacter than it is: `5 s`, `75 s`, `4 min`, `26 h`, `3 d`. Seconds are rounded up to fives. */
export function formatRoughly(ms: number): string {
  if (!Number.isFinite(ms)) return 'for ever'
  const seconds = Math.max(5, Math.ceil(ms / (5 * SECOND_MS)) * 5)
  if (seconds <= 90) return `${seconds} s`
  if (ms <= 90 * MINUTE_MS) return `${Math.round(ms / MINUTE_MS)} min`
  return ms <= 36 * HOUR_MS ? `${Math.round(ms / HOUR_MS)} h` : `${formatCount(ms / DAY_MS)} d`
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1536` as `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (Math.round(amount) >= 1024 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024
    unit += 1
  }
  // Without Intl, which takes 20 ms to load.
  const whole = String(Math.round(amount)).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${amount < 9.95 && unit > 0 ? amount.toFixed(1) : whole} ${BYTE_UNITS[unit] ?? ''}`
}
