// Families as text: the Prometheus text format 0.0.4, which every collector reads. Source: prometheus.io/docs/instrumenting/exposition_formats.
//
// Bounds are written as in OpenMetrics (`1.0`). Rejected: that format beside this one. It says the same, and it would have to be chosen for each client.
import type { Labels, MetricFamily, Sample } from './family.ts'

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
