// What is wrong is said when the plugin is made.
import { adaptiveTimeout, fixedTimeout, quantile } from '@avocet/plugin-adaptive-timeout'
import { describe, expect, it } from 'vitest'

const anything = (value: unknown): never => value as never

describe('options of adaptive-timeout', () => {
  it.each([
    [() => adaptiveTimeout({ idleMs: 0 }), 'expected adaptiveTimeout: idleMs to be a number above 0, got 0'],
    [() => adaptiveTimeout({ bodyMs: NaN }), 'expected adaptiveTimeout: bodyMs to be a number above 0, got NaN'],
    [
      () => adaptiveTimeout({ minBytesPerSecond: -1 }),
      'expected adaptiveTimeout: minBytesPerSecond to be a number of at least 0, got -1',
    ],
    [
      () => adaptiveTimeout(anything({ law: 'rfc6298' })),
      "expected adaptiveTimeout: law to be a timeout law, such as quantile(), got 'rfc6298'",
    ],
    [
      () => adaptiveTimeout(anything({ timeoutMs: 1 })),
      "adaptiveTimeout has no option 'timeoutMs'; the options are law, idleMs, minBytesPerSecond, bodyMs",
    ],
    [() => adaptiveTimeout(anything(null)), 'expected the options of adaptiveTimeout to be an object, got null'],
    [() => quantile({ share: 95 }), 'expected quantile: share to be a number from 0.5 to 0.999, got 95'],
    [() => quantile({ factor: 0.5 }), 'expected quantile: factor to be a number from 1 to 100, got 0.5'],
    [() => fixedTimeout(anything({})), 'expected fixedTimeout: ms to be a number above 0, got nothing'],
    [() => fixedTimeout(anything({ ms: '10s' })), "expected fixedTimeout: ms to be a number above 0, got '10s'"],
  ])('%#: refuses what is out of range, unknown or of another type', (make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message }))
  })

  it('takes undefined for left out', () => {
    expect(() => adaptiveTimeout(anything({ idleMs: undefined, law: undefined }))).not.toThrow()
  })
})
