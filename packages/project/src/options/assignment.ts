// Pairs as they are typed on a command line: `-a key=value` for spiders, `--header 'name: value'` for requests.
import { AvocetError } from '@avocet/core'

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
