// The check of options that all packages share: what it takes, and how it says what is wrong.
import { describe, expect, it } from 'vitest'
import { checkOptions, option, wrongOption, type OptionRule, type OptionRules } from '@avocet/core/plugin'

const VALUES: readonly unknown[] = [
  ...[null, Number.NaN, Infinity, -Infinity, -1, 0, 0.5, 1, 5, 5n, 2 ** 53, '', '5', 'fast', true, false, [], [5], {}, { a: 5 }],
  ...[Symbol('s'), () => 5, new Map([['a', 5]]), new Date(0)],
]

/** Those of the values above that `rule` takes. */
const taken = (rule: OptionRule): unknown[] => VALUES.filter((value) => rule.problem(value, 'x') === undefined)

describe('a rule', () => {
  it.each<[string, OptionRule, readonly unknown[]]>([
    ['a number above 0', option.positive, [0.5, 1, 5, 2 ** 53]],
    ['a number of at least 0', option.atLeast(0), [0, 0.5, 1, 5, 2 ** 53]],
    ['a number of at least 1, or Infinity', option.orInfinity(option.atLeast(1)), [Infinity, 1, 5, 2 ** 53]],
    ['a number from 0.5 to 1', option.between(0.5, 1), [0.5, 1]],
    ['a whole number of at least 1', option.wholeNumber(1), [1, 5]],
    ['a whole number from 0 to 1', option.wholeNumber(0, 1), [0, 1]],
    ['true or false', option.flag, [true, false]],
    ['a text that is not empty', option.nonEmptyText, ['5', 'fast']],
    ["'fast', 'slow' or 5", option.oneOf('fast', 'slow', 5), [5, 'fast']],
    ['true or false, or a whole number of at least 5', option.either(option.flag, option.wholeNumber(5)), [5, true, false]],
    ['a text', option.anyText, ['', '5', 'fast']],
    ['a number above 0, or false', option.orFalse(option.positive), [0.5, 1, 5, 2 ** 53, false]],
    ['null', option.satisfying('null', (value) => value === null), [null]],
  ])('takes %s and nothing else', (expected, rule, values) => {
    expect(taken(rule)).toEqual(values)
    expect(rule.problem(null, 'x') ?? `expected x to be ${expected}, got null`).toBe(`expected x to be ${expected}, got null`)
  })

  it('takes functions for callbacks, lists for lists, and no list for a table or a record', () => {
    expect(taken(option.callback).map((value) => typeof value)).toEqual(['function'])
    expect(taken(option.listOf(option.positive))).toEqual([[], [5]])
    expect(taken(option.recordOf(option.positive)).some((value) => Array.isArray(value) || value === null)).toBe(false)
    expect(taken(option.tableOf({ a: option.positive })).some((value) => Array.isArray(value) || value === null)).toBe(false)
    expect(taken(option.tableOf({ a: option.positive }))).toContainEqual({ a: 5 })
    expect(taken(option.anyObject)).toEqual([{}, { a: 5 }, new Map([['a', 5]]), new Date(0)])
  })
})

interface Sample {
  readonly maxRps?: number
  readonly law?: 'slow' | 'fast'
  readonly limits?: { readonly bytes?: number }
  readonly hosts?: readonly { readonly name: string }[]
  readonly headers?: Readonly<Record<string, string>>
}

const RULES: OptionRules<Sample> = {
  maxRps: option.positive,
  law: option.oneOf('slow', 'fast'),
  limits: option.tableOf({ bytes: option.wholeNumber(0) }),
  hosts: option.listOf(option.tableOf({ name: option.needed(option.nonEmptyText) })),
  headers: option.recordOf(option.nonEmptyText),
}

describe('options', () => {
  it.each<[unknown, string]>([
    [{ maxRps: 'fast' }, "expected sample: maxRps to be a number above 0, got 'fast'"],
    [{ maxRps: Number.NaN }, 'expected sample: maxRps to be a number above 0, got NaN'],
    [{ maxRps: Infinity }, 'expected sample: maxRps to be a number above 0, got Infinity'],
    [{ maxRps: null }, 'expected sample: maxRps to be a number above 0, got null'],
    [{ maxRps: [5] }, 'expected sample: maxRps to be a number above 0, got [5]'],
    [{ maxRps: { rps: 5 } }, 'expected sample: maxRps to be a number above 0, got { rps: 5 }'],
    [{ maxRps: ['8:00', 2, [3], {}] }, "expected sample: maxRps to be a number above 0, got ['8:00', 2, a list, …]"],
    [{ headers: ['token: s3cret'] }, 'expected sample: headers to be an object, got [a text]'],
    [{ maxRsp: 5 }, "sample has no option 'maxRsp' (did you mean 'maxRps'?)"],
    [{ rate: 5 }, "sample has no option 'rate'; the options are maxRps, law, limits, hosts, headers"],
    [{ toString: 5 }, "sample has no option 'toString'; the options are maxRps, law, limits, hosts, headers"],
    [JSON.parse('{ "__proto__": 5 }'), "sample has no option '__proto__'; the options are maxRps, law, limits, hosts, headers"],
    [{ law: 'fsat' }, `expected sample: law to be 'slow' or 'fast', got 'fsat' (did you mean 'fast'?)`],
    [{ limits: [] }, 'expected sample: limits to be an object, got []'],
    [{ limits: { bytes: -1 } }, 'expected sample: limits.bytes to be a whole number of at least 0, got -1'],
    [{ limits: { byte: 1 } }, "sample: limits has no option 'byte' (did you mean 'bytes'?)"],
    [{ hosts: {} }, 'expected sample: hosts to be a list, got {}'],
    [{ hosts: [{ name: 'a' }, {}] }, 'expected sample: hosts[1].name to be a text that is not empty, got nothing'],
    [{ headers: { accept: 5 } }, "expected sample: headers['accept'] to be a text that is not empty, got 5"],
    [null, 'expected the options of sample to be an object, got null'],
    [undefined, 'expected the options of sample to be an object, got nothing'],
    [[], 'expected the options of sample to be an object, got []'],
    ['fast', "expected the options of sample to be an object, got 'fast'"],
  ])('%j are refused', (options, message) => {
    expect(() => checkOptions('sample', options, RULES)).toThrow(
      expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message }) as Error,
    )
  })

  it.each<[unknown]>([[{}], [{ maxRps: undefined, limits: undefined }], [{ law: 'fast', limits: {}, hosts: [], headers: {} }]])(
    '%j are taken: undefined counts as left out',
    (options) => {
      expect(() => checkOptions('sample', options, RULES)).not.toThrow()
    },
  )

  it('that contradict each other are named in the same words', () => {
    expect(wrongOption('aimd: startRps', 'at most maxRps (2)', 5)).toMatchObject({
      code: 'AVO_CONFIG_INVALID',
      message: 'expected aimd: startRps to be at most maxRps (2), got 5',
    })
  })
})
