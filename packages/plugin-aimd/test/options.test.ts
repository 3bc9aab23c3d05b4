// Options are checked when the plugin is made, and the message says what was expected.
import { aimd, delayFactor, fixedRate, textbook, type AimdOptions } from '@avocet/plugin-aimd'
import { describe, expect, it } from 'vitest'

const made = (options: unknown) => () => aimd(options as AimdOptions)

describe('options of aimd', () => {
  it.each([
    [{ maxRps: 0 }, 'expected aimd: maxRps to be a number above 0, got 0'],
    [{ maxRps: Infinity }, 'expected aimd: maxRps to be a number above 0, got Infinity'],
    [{ maxRps: '5' }, "expected aimd: maxRps to be a number above 0, got '5'"],
    [{ startRps: 5, maxRps: 2 }, 'expected aimd: startRps to be at most maxRps (2), got 5'],
    [{ minRps: 3, startRps: 2 }, 'expected aimd: minRps to be at most startRps (2), got 3'],
    [{ maxInFlight: 1.5 }, 'expected aimd: maxInFlight to be a whole number of at least 1, got 1.5'],
    [{ maxInFlight: 0 }, 'expected aimd: maxInFlight to be a whole number of at least 1, got 0'],
    [{ maxRsp: 5 }, "aimd has no option 'maxRsp' (did you mean 'maxRps'?)"],
    [{ speed: 5 }, "aimd has no option 'speed'; the options are law, window, startRps, minRps, maxRps, maxInFlight, blocked"],
    [{ law: 'fixed' }, "expected aimd: law to be a law with a name and the functions fresh, accepted, refused, got 'fixed'"],
    [{ law: null }, 'expected aimd: law to be a law with a name and the functions fresh, accepted, refused, got null'],
    [
      { window: true },
      'expected aimd: window to be a law with a name and the functions fresh, answered, failed, or false, got true',
    ],
    [{ blocked: /captcha/ }, 'expected aimd: blocked to be a function, got an instance of RegExp'],
    ['fast', "expected the options of aimd to be an object, got 'fast'"],
  ])('%j', (options, message) => {
    expect(made(options)).toThrow(message)
    expect(made(options)).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID' }))
  })

  it.each([
    {},
    { maxRps: 0.01 },
    { maxRps: 0.5 },
    { startRps: 20 },
    { minRps: 2 },
    { minRps: 0.5, maxRps: 0.5 },
    { window: false },
  ])('takes %j', (options) => {
    expect(made(options)).not.toThrow()
  })
})

describe('options of the laws', () => {
  it.each([
    [() => fixedRate({ rps: 0 }), 'expected fixedRate: rps to be a number above 0, got 0'],
    [() => fixedRate({ burst: 0.5 }), 'expected fixedRate: burst to be a number of at least 1, got 0.5'],
    [() => fixedRate({ rate: 1 } as object), "fixedRate has no option 'rate'; the options are rps, burst"],
    [() => textbook({ stepRps: -1 }), 'expected textbook: stepRps to be a number above 0, got -1'],
    [() => textbook({ cutRatio: 1 }), 'expected textbook: cutRatio to be a number above 0 and below 1, got 1'],
    [() => textbook({ cutRatio: Number.NaN }), 'expected textbook: cutRatio to be a number above 0 and below 1, got NaN'],
    [() => delayFactor({ factor: 0 }), 'expected delayFactor: factor to be a number above 0, got 0'],
    [() => delayFactor({ after: 'middle' } as object), `expected delayFactor: after to be 'end' or 'start', got 'middle'`],
  ])('%s', (make, message) => {
    expect(make).toThrow(message)
  })
})
