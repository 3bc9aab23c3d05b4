// Numbers and moments as people read them, and texts of others made harmless to read.

const COUNT = new Intl.NumberFormat('en')

/** `1,204`. */
export function count(value: number): string {
  return COUNT.format(Math.round(value))
}

/** `1 host`, `2 hosts`. */
export function countOf(value: number, noun: string, plural: string = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`
}

/** `0.25`, `12.4`, `310`: per second. */
export function rateText(value: number | null): string {
  if (value === null) return '–'
  if (value === 0) return '0'
  if (value < 0.1) return value.toFixed(3)
  if (value < 1) return value.toFixed(2)
  return value < 100 ? value.toFixed(1) : count(value)
}

/** `340 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return twoUnits(seconds, 60, ['min', 's'])
  if (seconds < 86_400) return twoUnits(Math.round(seconds / 60), 60, ['h', 'min'])
  return twoUnits(Math.round(seconds / 3_600), 24, ['d', 'h'])
}

/** An estimate in one unit, as in the terminal: `45 s`, `12 min`, `3 h`, `4 d`. */
export function roughly(ms: number): string {
  const seconds = Math.max(5, Math.ceil(ms / 5_000) * 5)
  if (seconds <= 90) return `${seconds} s`
  if (ms <= 5_400_000) return `${Math.round(ms / 60_000)} min`
  return ms <= 36 * 3_600_000 ? `${Math.round(ms / 3_600_000)} h` : `${count(ms / 86_400_000)} d`
}

function twoUnits(value: number, size: number, [large, small]: readonly [string, string]): string {
  const rest = value % size
  return `${Math.floor(value / size)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

/** `1.2 MiB`, in the units of the terminal. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10))
  return `${(value / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power] ?? ''}`
}

/** `0.3 %`. */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %'
  const percent = (100 * part) / whole
  return `${percent < 0.1 ? '<0.1' : percent.toFixed(percent < 10 ? 1 : 0)} %`
}

/** `14:03:22`. */
export function clockText(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}

/** `27 Nov, 14:03`. */
export function day(at: number): string {
  return new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
}

/** `27 Nov, 14:03`, with the year where it is not that of `now`; of a stretch both its ends: `27 Nov, 14:00 – 16:00`. */
export function momentText({ from, to }: { readonly from: number; readonly to: number }, now: number): string {
  const yearOf = (at: number): string => {
    const year = new Date(at).getFullYear()
    return year === new Date(now).getFullYear() ? '' : ` ${year}`
  }
  const [begin, end] = [from, to].map((at) => day(at).replace(',', `${yearOf(at)},`)) as [string, string]
  if (begin === end) return begin
  const [date = '', time = ''] = end.split(', ')
  return begin.startsWith(`${date},`) ? `${begin} – ${time}` : `${begin} – ${end}`
}

/** Control characters, and those that turn the direction of what follows. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** A text of others: what would not be seen, or would turn what follows, is written as an escape. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What a browser may be sent to: undefined for everything but HTTP. */
export function safeAddress(url: string): string | undefined {
  try {
    const parsed = new URL(url)
    return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? parsed.href : undefined
  } catch {
    return undefined
  }
}
