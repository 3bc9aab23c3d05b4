// A named value as people read it. Its unit is the suffix of its name: `foundRps: 4.8` becomes `found 4.8 /s`.
import type { Json } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import { isSecretName } from '@avocet/plugin-secrets/names'
import { printable } from './printable.ts'
import { formatBytes, formatCount, formatRate, formatRatio } from './quantity.ts'

type Format = (value: number, now: number) => string

const FORMATS: readonly (readonly [suffix: RegExp, format: Format])[] = [
  [/Ms$/, (value) => formatDuration(value)],
  [/Rps$/, (value) => formatRate(value)],
  [/Ratio$/, (value) => formatRatio(value)],
  [/Bytes$/, (value) => formatBytes(value)],
  [/(?:At|Until)$/, moment],
  [/Since$/, (at, now) => `for ${formatDuration(now - at)}`],
]

/** Longest value shown in full. */
const MAX_CHARACTERS = 120

/**
 * One value with its name.
 *
 * @example
 * ```ts
 * valueInWords('refusedAt', 1_767_225_600_000, 1_767_225_780_000) // 'refused 3 min ago'
 * ```
 */
export function valueInWords(key: string, value: Json, now: number): string {
  const [suffix, format] = (typeof value === 'number' && FORMATS.find(([ending]) => ending.test(key))) || []
  const name = nameInWords(suffix === undefined ? key : key.replace(suffix, ''))
  return `${name} ${format === undefined || typeof value !== 'number' ? plainly(value, now) : format(value, now)}`.trim()
}

/** Several values, with commas between them. */
export function valuesInWords(values: Readonly<Record<string, Json>>, now: number): string {
  return Object.entries(values)
    .map(([key, value]) => valueInWords(key, value, now))
    .join(', ')
}

/** `firstByte` as `first byte`; what is no name of ours, such as a URL, stays. */
function nameInWords(key: string): string {
  return /^[a-z]\w*$/i.test(key) ? key.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase() : printable(key)
}

/** 0 stands for a moment that never was. */
function moment(at: number, now: number): string {
  if (at === 0) return 'never'
  return at <= now ? `${formatDuration(now - at)} ago` : `in ${formatDuration(at - now)}`
}

function plainly(value: Json, now: number): string {
  if (typeof value === 'number') return Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(4)))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isRecord(value)) return `(${valuesInWords(value, now)})`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return printable(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text)
}

/** Whether a value has named values in it. */
export function isRecord(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// What is not shown, on a screen that is shared or in a log that is kept: values of header fields and options that hold secrets.

/** What is shown in place of a secret. */
export const HIDDEN = '(hidden)'

/** Header fields as they may be shown. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? HIDDEN : value]))
}
