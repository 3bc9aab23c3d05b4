// Which of the two formats a client wants, by its Accept header: OpenMetrics where it prefers that, else the text format, which everybody reads.
import type { MetricsFormat } from './exposition.ts'

const OPENMETRICS = 'application/openmetrics-text'
/** The format of 1.0 is read by whoever reads 0.0.1, its draft. */
const VERSIONS: readonly (string | undefined)[] = [undefined, '1.0.0', '0.0.1']
/** A longer header is none of a client that wants metrics. */
const MAX_RANGES = 20

/**
 * The format to answer with. Source: RFC 9110 §12.5.1.
 *
 * @example
 * ```ts
 * acceptedFormat('application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5') // 'openmetrics'
 * ```
 */
export function acceptedFormat(accept = ''): MetricsFormat {
  const ranges = accept.split(',', MAX_RANGES).map(rangeOf)
  const best = (fits: (range: Range) => boolean): number => Math.max(0, ...ranges.filter(fits).map(({ quality }) => quality))
  const open = best(({ type, version }) => type === OPENMETRICS && VERSIONS.includes(version))
  const text = best(({ type, version }) => type === 'text/plain' && (version === undefined || version === '0.0.4'))
  return open > 0 && open >= text ? 'openmetrics' : 'text'
}

interface Range {
  readonly type: string
  readonly version: string | undefined
  /** 0 to 1. */
  readonly quality: number
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const valueOf = (name: string): string | undefined =>
    parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1)
  const quality = Number(valueOf('q') ?? 1)
  return { type, version: valueOf('version'), quality: quality >= 0 && quality <= 1 ? quality : 0 }
}
