// Families of samples (one name, one help, one type), their buckets, and how they are written.
import type { CountKey } from './counted.ts'

/** Labels of a sample by name. Values may be any text: it is escaped where it is written. */
type Labels = Readonly<Record<string, string>>

/** One number. */
export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

/** How often something took how long. */
export interface Distribution {
  /** How many were at most as long as each bound and longer than the one before it. */
  readonly counts: readonly number[]
  /** Of all, in the unit of the bounds. */
  readonly sum: number
}

/** What a scrape gets under one name. */
export type MetricFamily = {
  /** A counter ends in `_total`. */
  readonly name: string
  readonly help: string
} & (
  | { readonly type: 'counter' | 'gauge' | 'info'; readonly samples: readonly Sample[] }
  /** `bounds`: upper ones, ascending, without the infinite one: `counts` of the distribution has one more. */
  | { readonly type: 'histogram'; readonly bounds: readonly number[]; readonly of: Distribution }
)

// The buckets of the two histograms, in seconds.

/** A histogram whose counts are kept by key. */
interface Buckets {
  /** Upper bounds, ascending, in seconds. */
  readonly bounds: readonly number[]
  /** Of the counts, one more than bounds: a key that is made for each answer costs more than all else. */
  readonly keys: readonly CountKey[]
  readonly sum: CountKey
}

/** Of a server that answers at once to one that takes as long as a time limit lets it. */
export const LATENCY: Buckets = bucketsAt('latency', [0.05, 0.1, 0.2, 0.35, 0.5, 1, 2, 3.5, 5, 10, 15, 20, 30, 60])

/** Of a commit to a local disk to one to a server that is far away or struggles. */
export const COMMIT: Buckets = bucketsAt('commit', [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])

/** Counts one duration. */
export function countDuration(
  { bounds, keys, sum }: Buckets,
  seconds: number,
  count: (key: CountKey, by?: number) => void,
): void {
  let bucket = 0
  while (seconds > (bounds[bucket] ?? Infinity)) bucket++
  const key = keys[bucket]
  if (key === undefined) return
  count(key)
  count(sum, seconds)
}

/** All that were counted. */
export function distributionOf({ keys, sum }: Buckets, of: (key: CountKey) => number): Distribution {
  return { counts: keys.map(of), sum: of(sum) }
}

function bucketsAt(name: 'latency' | 'commit', bounds: readonly number[]): Buckets {
  const keys = Array.from({ length: bounds.length + 1 }, (_, n): CountKey => `${name} ${n}`)
  return { bounds, keys, sum: `${name} sum` }
}

// Families as text: the Prometheus text format 0.0.4, which every collector reads. Source: prometheus.io/docs/instrumenting/exposition_formats.
//
// Bounds are written as in OpenMetrics (`1.0`). Rejected: that format beside this one. It says the same, and it would have to be chosen for each client.

/** Longer values are cut: none is, but a sink may have any name. */
const MAX_LABEL = 300

/** Nearly all texts are. */
const PLAIN = /^[ !#-[\]-~]*$/

/** What a terminal obeys or nobody sees, a line feed apart, which the formats escape. Lone surrogates are no UTF-8. */
const UNSEEN = /[\p{Cs}\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?!\n)\p{Cc}/gu

/**
 * The families as text.
 *
 * @example
 * ```ts
 * exposition([{ name: 'up', help: 'whether it is', type: 'gauge', samples: [{ value: 1 }] }]) // '# HELP up whether it is\n# TYPE up gauge\nup 1\n'
 * ```
 */
export function exposition(families: readonly MetricFamily[]): string {
  let text = ''
  for (const family of families) {
    text += headOf(family)
    if (family.type === 'histogram') text += bucketsOf(family)
    else for (const sample of family.samples) text += lineOf(family.name, sample)
  }
  return text
}

/** Its media type. */
export const MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

function headOf({ name, help, type }: MetricFamily): string {
  return `# HELP ${name} ${escaped(help, /[\\\n]/g)}\n# TYPE ${name} ${type === 'info' ? 'gauge' : type}\n`
}

function bucketsOf({ name, bounds, of }: Extract<MetricFamily, { readonly type: 'histogram' }>): string {
  let below = 0
  const buckets = [...bounds, Infinity].map((bound, n) => {
    below += of.counts[n] ?? 0
    return lineOf(`${name}_bucket`, { labels: { le: boundText(bound) }, value: below })
  })
  return buckets.join('') + lineOf(`${name}_sum`, { value: of.sum }) + lineOf(`${name}_count`, { value: below })
}

function lineOf(name: string, { labels, value }: Sample): string {
  return `${name}${labels === undefined ? '' : labelText(labels)} ${numberText(value)}\n`
}

function labelText(labels: Labels): string {
  let pairs = ''
  for (const [name, value] of Object.entries(labels))
    pairs += `${pairs === '' ? '' : ','}${name}="${escaped(value.slice(0, MAX_LABEL), /[\\\n"]/g)}"`
  return `{${pairs}}`
}

function escaped(text: string, special: RegExp): string {
  if (PLAIN.test(text)) return text
  const seen = text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
  return seen.replace(special, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

function boundText(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : numberText(bound)
}
