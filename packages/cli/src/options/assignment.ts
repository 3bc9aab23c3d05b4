// Pairs as they are typed on a command line: `-a key=value` for spiders, `--header 'name: value'` for requests.
import { AvocetError } from '@avocet/core'

/** RFC 9110 §5.6.2: what a field name is made of. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** RFC 9110 §5.5: what a field value must not contain, for it could end the field. */
const FIELD_ENDS = /[\r\n\0]/

/** Keys that a plain object treats in a way of its own. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Spider arguments from `key=value` texts. The last of equal keys counts.
 *
 * @throws AVO_USAGE when there is no `=`, no key, or a key that objects reserve.
 */
export function parseArguments(texts: readonly string[]): Readonly<Record<string, string>> {
  const entries = texts.map((text): [string, string] => {
    const at = text.indexOf('=')
    const key = text.slice(0, Math.max(0, at))
    if (key === '' || RESERVED.has(key)) throw new AvocetError('AVO_USAGE', `-a: expected key=value, got '${text}'`)
    return [key, text.slice(at + 1)]
  })
  return Object.fromEntries(entries)
}

/**
 * Header fields from `name: value` texts, names in lower case.
 *
 * @throws AVO_USAGE when it is no field that HTTP can carry.
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
  return Object.fromEntries(entries)
}

/** As much as tells which one it is: the rest may be a token, and errors end up in logs. */
function beginningOf(text: string): string {
  const word = /^[^\s:=]*/.exec(text)?.[0].slice(0, 20) ?? ''
  return word === text ? word : `${word}…`
}
