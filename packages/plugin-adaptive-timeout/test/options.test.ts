// What is wrong is said when the plugin is made.
import { adaptiveTimeout, fixedTimeout, quantile, rto } from '@avocet/plugin-adaptive-timeout'
import { describe, expect, it } from 'vitest'

const anything = (value: unknown): never => value as never

describe('options of adaptive-timeout', () => {
  it.each([
    [() => adaptiveTimeout({ idleMs: 0 }), 'expected idleMs of adaptiveTimeout to be a number of ms above 0, got 0'],
    [() => adaptiveTimeout({ bodyMs: NaN }), 'expected bodyMs of adaptiveTimeout to be a number of ms above 0, got NaN'],
    [
      () => adaptiveTimeout({ minBytesPerSecond: -1 }),
      'expected minBytesPerSecond of adaptiveTimeout to be a number of at least 0, got -1',
    ],
    [
      () => adaptiveTimeout(anything({ law: 'rto' })),
      'expected law of adaptiveTimeout to be a timeout law, such as quantile(), got "rto"',
    ],
    [
      () => adaptiveTimeout(anything({ timeoutMs: 1 })),
      "expected an option of adaptiveTimeout to be one of law, connectLaw, idleMs, minBytesPerSecond, bodyMs, got 'timeoutMs'",
    ],
    [() => adaptiveTimeout(anything(null)), 'expected the options of adaptiveTimeout to be an object, got null'],
    [() => quantile({ share: 95 }), 'expected share of quantile to be a number from 0.5 to 0.999, got 95'],
    [() => quantile({ factor: 0.5 }), 'expected factor of quantile to be a number from 1 to 100, got 0.5'],
    [() => rto({ maxMs: Infinity }), 'expected maxMs of rto to be a number of ms above 0, got Infinity'],
    [() => fixedTimeout(anything({})), 'expected fixedTimeout to be given ms, got none'],
    [() => fixedTimeout(anything({ ms: '10s' })), 'expected ms of fixedTimeout to be a number of ms above 0, got "10s"'],
  ])('%#: refuses what is out of range, unknown or of another type', (make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message }))
  })

  it('takes undefined for left out', () => {
    expect(() => adaptiveTimeout(anything({ idleMs: undefined, law: undefined }))).not.toThrow()
  })
})
