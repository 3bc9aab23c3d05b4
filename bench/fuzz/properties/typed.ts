// What people type: numbers, durations and pairs of the command line, against a simple reading.
import assert from 'node:assert/strict'
import { AvocetError } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import * as fc from 'fast-check'
import {
  parseArguments,
  parseDuration,
  parseHeaders,
  parsePositive,
  parseWholeNumber,
} from '../../../packages/project/src/options/values.ts'
import { formatBytes, formatCount, formatRate, formatRoughly } from '../../../packages/project/src/text/quantity.ts'
import { property, type Property } from '../property.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const TEN_YEARS_MS = 10 * 365 * 86_400_000

/** What `parse` gives; undefined when it refuses. Anything but a usage error is a bug. */
function read<Value>(parse: () => Value): Value | undefined {
  try {
    return parse()
  } catch (error) {
    assert.ok(error instanceof AvocetError && error.code === 'AVO_USAGE', String(error))
    return undefined
  }
}

const part = fc.tuple(
  fc.oneof(fc.nat({ max: 5_000 }).map(String), fc.constantFrom('1.5', '0.25', '007', '.5', '5.', '1e3', '')),
  fc.constantFrom('ms', 's', 'm', 'h', 'd', '', 'x', 'S', ' s'),
)
const typedDuration = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.flat().join('')),
  fc.string({ maxLength: 6 }),
)

const durations = property(
  { name: 'durations', what: 'a duration that is typed is the sum of its parts, or refused', runs: 5_000 },
  typedDuration,
  (typed) => {
    const ms = read(() => parseDuration(typed, '--delay'))
    const text = typed.trim()
    const isPlain = /^\d+(\.\d+)?$/.test(text)
    const isDuration = isPlain || /^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)?/g)]
    const sum = parts.reduce((total, [, amount, unit = 's']) => total + Number(amount) * (UNITS[unit] ?? 0), 0)
    assert.equal(ms, isDuration && sum <= TEN_YEARS_MS ? sum : undefined)
  },
)

const typedNumber = fc.oneof(
  fc.double().map(String),
  fc.integer().map(String),
  fc.string({ maxLength: 5 }),
  fc.constantFrom('1e3', '0x10', '1_000', '+1', ' 1', '٣', '1.', '.1', '1000000', '9007199254740992', 'Infinity', '-0'),
)
const numbers = property(
  { name: 'numbers', what: 'a number that is typed is that number, or refused', runs: 4_000 },
  fc.tuple(typedNumber, fc.nat({ max: 3 })),
  ([typed, min]) => {
    const positive = read(() => parsePositive(typed, '--rate'))
    if (positive !== undefined) assert.ok(positive === Number(typed) && positive > 0 && positive <= 1_000_000)
    else assert.ok(!/^\d{1,6}(\.\d+)?$/.test(typed) || Number(typed) === 0)
    const whole = read(() => parseWholeNumber(typed, '--depth', min))
    if (whole !== undefined) assert.ok(String(whole) === typed.replace(/^0+(?=\d)/, '') && whole >= min)
    else assert.ok(!/^[0-9]{1,15}$/.test(typed) || Number(typed) < min)
  },
)

const shown = property(
  { name: 'quantities', what: 'a quantity is shown as a number and a unit, never as a fault of arithmetic', runs: 4_000 },
  fc.oneof(
    fc.double({ min: 0, max: 1e15, noNaN: true }),
    fc.nat(),
    fc.constantFrom(0, 999, 999.5, 1_023.99, 1_048_575, 59_999.6, 3_599_999, Infinity),
  ),
  (amount) => {
    for (const text of [formatDuration(amount), formatRoughly(amount)])
      assert.match(text, /^(?:for ever|[\d.,]+ (?:ms|s|min|h|d)(?: \d+ (?:s|min|h))?)$/)
    if (amount === Infinity) return
    assert.match(formatBytes(amount), /^[\d.,]+ (?:B|KiB|MiB|GiB|TiB)$/)
    assert.match(formatCount(amount), /^[\d,]+$/)
    assert.match(formatRate(amount), /^[\d.,]+ \/s$/)
    // A pair never has 60 of the smaller unit.
    assert.doesNotMatch(formatDuration(amount), /\b60 (?:s|min)|\b24 h|\b1,?000 ms/)
  },
)

const pairText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc
    .array(fc.constantFrom('=', ':', 'a', 'Accept', '__proto__', 'constructor', ' ', '\r\n', '\0', 'é', 'x'), { maxLength: 6 })
    .map((all) => all.join('')),
)
const pairs = property(
  { name: 'pairs', what: 'pairs that are typed are kept whole, and can end no header field', runs: 4_000 },
  fc.array(pairText, { minLength: 1, maxLength: 3 }),
  (typed) => {
    const given = read(() => parseArguments(typed))
    if (given !== undefined) for (const [name, value] of Object.entries(given)) assert.ok(typed.includes(`${name}=${value}`))
    const fields = read(() => parseHeaders(typed))
    if (fields === undefined) return
    assert.ok(Object.getPrototypeOf(fields) === Object.prototype)
    // The platform is the judge of what a field may be.
    for (const [name, value] of Object.entries(fields))
      if (/^[\0-\u00ff]*$/.test(value)) assert.equal(new Headers([[name, value]]).get(name), value)
  },
)

/** All of this file. */
export const TYPED_PROPERTIES: readonly Property[] = [durations, numbers, shown, pairs]
