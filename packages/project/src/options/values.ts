// The values of options as they are typed: texts, words of a list, whole numbers, numbers above 0, and durations (`90s`, `5m`, `1h30m`, `250ms`; a plain
// number is seconds).
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'

/** What yargs gives: by option name, a value or an array of them when it was typed more than once. */
export type Typed = Readonly<Record<string, unknown>>

/** Every text that was typed for `name`. */
export function textsOf(typed: Typed, name: string): readonly string[] {
  return [typed[name] ?? []].flat().map(String)
}

/** The text that was typed for `name`; of several the last, so that a habit in a shell alias can be overridden. */
export function textOf(typed: Typed, name: string): string | undefined {
  return textsOf(typed, name).at(-1)
}

/** `{ [key]: value }`, or nothing where there is no value. */
export function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value }
}

/** What was typed of the store that a command reads. */
export function namedStore(typed: Typed): { readonly store?: string; readonly configPath?: string } {
  return { ...given('store', textOf(typed, 'store')), ...given('configPath', textOf(typed, 'config')) }
}

/**
 * The one of `words` that was typed.
 *
 * @param name what is being read, for the message: `--scope`, `failed`.
 * @throws AVO_USAGE when it is none of them, with the one that was probably meant.
 */
export function parseWord<const Word extends string>(text: string, name: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === text)
  if (word !== undefined) return word
  const list = words.length === 1 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
  throw new AvocetError('AVO_USAGE', `${name}: expected ${list}, got '${text}'${didYouMean(text, words)}`)
}

/**
 * A whole number from `min` to `max`, which is any by default.
 *
 * @throws AVO_USAGE when it is none.
 */
export function parseWholeNumber(text: string, name: string, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number) || number < min || number > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new AvocetError('AVO_USAGE', `${name}: expected a whole number ${range}, got '${text}'`)
  }
  return number
}

/** A larger value is a mistake. */
const MOST = 1_000_000

/**
 * A number above 0.
 *
 * @throws AVO_USAGE when it is none.
 */
export function parsePositive(text: string, name: string): number {
  const number = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  if (!(number > 0 && number <= MOST))
    throw new AvocetError('AVO_USAGE', `${name}: expected a number above 0 such as 0.5 or 20, got '${text}'`)
  return number
}

/**
 * A share in percent, as a number from 0 to 1; 0 needs no percent sign.
 *
 * @throws AVO_USAGE when it is none.
 */
export function parseShare(text: string, name: string): number {
  const percent = /^(?:\d+(?:\.\d+)?|\.\d+)%$/.test(text) ? Number(text.slice(0, -1)) : text === '0' ? 0 : Number.NaN
  if (!(percent <= 100))
    throw new AvocetError('AVO_USAGE', `${name}: expected a share from 0% to 100%, such as 5%, got '${text}'`)
  return percent / 100
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const PART = /(\d+(?:\.\d+)?)(ms|[smhd])/gy
const PLAIN_SECONDS = /^\d+(?:\.\d+)?$/

/** Ten years: a longer time is a mistake, and timers and clocks stay exact below it. */
const MAX_DURATION_MS = 10 * 365 * 86_400_000

/**
 * A duration in ms.
 *
 * @param name what is being read, for the message: `--max-time`.
 * @throws AVO_USAGE when it is not a duration.
 * @example
 * ```ts
 * parseDuration('1h30m', '--max-time') // 5_400_000
 * ```
 */
export function parseDuration(text: string, name: string): number {
  const trimmed = text.trim()
  const ms = PLAIN_SECONDS.test(trimmed) ? Number(trimmed) * 1_000 : sumOfParts(trimmed)
  if (ms === undefined || ms > MAX_DURATION_MS) {
    throw new AvocetError(
      'AVO_USAGE',
      `${name}: expected a duration such as 250ms, 90s, 5m or 1h30m (a plain number is seconds), got '${text}'`,
    )
  }
  return ms
}

/** Undefined unless the parts cover the whole text. */
function sumOfParts(text: string): number | undefined {
  let ms = 0
  let readTo = 0
  for (const [part, amount, unit] of text.matchAll(PART)) {
    ms += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN)
    readTo += part.length
  }
  return readTo === text.length && readTo > 0 ? ms : undefined
}

// Pairs as they are typed on a command line: `-a key=value` for spiders, `--header 'name: value'` for requests.

/** RFC 9110 §5.6.2: what a field name is made of. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** RFC 9110 §5.5: what a field value must not contain, for it could end the field. */
const FIELD_ENDS = /[\r\n\0]/

/** Keys that a plain object treats in a way of its own. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Spider arguments from `key=value` texts.
 *
 * @throws AVO_USAGE when there is no `=`, no key, a key that objects reserve, or a key twice: a loop over values that came to one command.
 */
export function parseArguments(texts: readonly string[]): Readonly<Record<string, string>> {
  const entries = texts.map((text): [string, string] => {
    const at = text.indexOf('=')
    const key = text.slice(0, Math.max(0, at))
    if (key === '' || RESERVED.has(key)) throw new AvocetError('AVO_USAGE', `-a: expected key=value, got '${text}'`)
    return [key, text.slice(at + 1)]
  })
  const [key, values] = repeated(entries) ?? []
  if (values !== undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `-a: expected one value for ${key}, got ${values.map((value) => `${key}=${value}`).join(' and ')}; leave one out`,
    )
  return Object.fromEntries(entries)
}

/**
 * Header fields from `name: value` texts, names in lower case.
 *
 * @throws AVO_USAGE when it is no field that HTTP can carry, or one twice. Values are not repeated.
 */
export function parseHeaders(texts: readonly string[]): Readonly<Record<string, string>> {
  const entries = texts.map((text): [string, string] => {
    const at = text.indexOf(':')
    const name = text.slice(0, Math.max(0, at)).trim()
    const value = text.slice(at + 1).trim()
    if (!FIELD_NAME.test(name) || FIELD_ENDS.test(value) || RESERVED.has(name)) {
      throw new AvocetError('AVO_USAGE', `--header: expected 'name: value', got '${beginningOf(text)}'`)
    }
    return [name.toLowerCase(), value]
  })
  const [name, values] = repeated(entries) ?? []
  if (values !== undefined)
    throw new AvocetError('AVO_USAGE', `--header: expected one value for ${name}, got ${values.length}; leave one out`)
  return Object.fromEntries(entries)
}

/** The first key that is there more than once, with its values. */
function repeated(entries: readonly (readonly [string, string])[]): readonly [string, readonly string[]] | undefined {
  const byKey = Map.groupBy(entries, ([key]) => key)
  const [key, same] = [...byKey].find(([, those]) => those.length > 1) ?? []
  return key === undefined ? undefined : [key, (same ?? []).map(([, value]) => value)]
}

/** As much as tells which one it is: the rest may be a token, and errors end up in logs. */
function beginningOf(text: string): string {
  const word = /^[^\s:=]*/.exec(text)?.[0].slice(0, 20) ?? ''
  return word === text ? word : `${word}…`
}
