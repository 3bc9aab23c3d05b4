// Families as text: the Prometheus text format 0.0.4, and OpenMetrics 1.0.
//
// They differ in little. OpenMetrics names a counter without `_total`, has types `info` and units, and ends with `# EOF`. Bounds are written the same in both
// (`1.0`), so that a server which changes the format finds the series that it has. Sources: prometheus.io/docs/instrumenting/exposition_formats, and the
// OpenMetrics specification 1.0, sections "ABNF" and "Considerations: Canonical Numbers".
import type { Labels, MetricFamily, Sample } from './family.ts'

/** A format of the answer. */
export type MetricsFormat = 'text' | 'openmetrics'

/** Longer values are cut: none is, but a sink may have any name. */
const MAX_LABEL = 300

/** Nearly all texts are. */
const PLAIN = /^[ !#-[\]-~]*$/

/** What a terminal obeys or nobody sees, a line feed apart, which the formats escape. Lone surrogates are no UTF-8. */
const UNSEEN = /[\p{Cs}\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?!\n)\p{Cc}/gu

/**
 * The families in one format.
 *
 * @example
 * ```ts
 * exposition([{ name: 'up', help: 'whether it is', type: 'gauge', samples: [{ value: 1 }] }], 'text') // '# HELP up whether it is\n# TYPE up gauge\nup 1\n'
 * ```
 */
export function exposition(families: readonly MetricFamily[], format: MetricsFormat): string {
  let text = ''
  for (const family of families) {
    text += headOf(family, format)
    if (family.type === 'histogram') text += bucketsOf(family)
    else for (const sample of family.samples) text += lineOf(family.name, sample)
  }
  return format === 'openmetrics' ? `${text}# EOF\n` : text
}

/** What says which format it is. */
export function mediaTypeOf(format: MetricsFormat): string {
  return format === 'openmetrics'
    ? 'application/openmetrics-text; version=1.0.0; charset=utf-8'
    : 'text/plain; version=0.0.4; charset=utf-8'
}

function headOf({ name, help, type }: MetricFamily, format: MetricsFormat): string {
  if (format === 'text') return `# HELP ${name} ${escaped(help, /[\\\n]/g)}\n# TYPE ${name} ${type === 'info' ? 'gauge' : type}\n`
  const family = name.replace(type === 'counter' ? /_total$/ : type === 'info' ? /_info$/ : /$^/, '')
  const unit = /_(seconds|bytes)$/.exec(family)?.[1]
  const unitLine = unit === undefined ? '' : `# UNIT ${family} ${unit}\n`
  return `# TYPE ${family} ${type}\n${unitLine}# HELP ${family} ${escaped(help, /[\\\n"]/g)}\n`
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
