// What is worth another attempt, how soon, and how often.
import { FAILURES, type FailureCode } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { classOfFailure, classOfStatus } from '../src/classify.ts'
import { delayMs } from '../src/delay.ts'
import { isRepeatable } from '../src/is-repeatable.ts'

describe('the class', () => {
  it.each<readonly [number, string | undefined]>([
    ...[401, 403, 407, 451, 999].map((status) => [status, 'blocked'] as const),
    [408, 'server'],
    [421, 'misdirected'],
    [425, 'server'],
    [429, 'throttle'],
    [500, 'server'],
    [502, 'server'],
    [503, 'throttle'],
    [504, 'server'],
    [520, 'server'],
    [524, 'server'],
    [529, 'server'],
    [599, 'server'],
    ...[200, 304, 400, 404, 405, 410, 414, 501, 505, 511].map((status) => [status, undefined] as const),
  ])('of status %i is %s', (status, name) => {
    expect(classOfStatus(status)?.name).toBe(name)
  })

  it.each<[FailureCode, string]>([
    ['AVO_RESET', 'transient'],
    ['AVO_CLOSED_EARLY', 'transient'],
    ['AVO_TRUNCATED', 'transient'],
    ['AVO_CONNECT_TIMEOUT', 'connect'],
    ['AVO_CONNECT_REFUSED', 'refused'],
    ['AVO_FIRST_BYTE_TIMEOUT', 'timeout'],
    ['AVO_TOO_SLOW', 'timeout'],
    ['AVO_DNS_NOT_FOUND', 'dns'],
    ['AVO_DNS_FAILED', 'dns'],
    ['AVO_TLS_FAILED', 'tls'],
    ['AVO_PROTOCOL', 'protocol'],
  ])('of %s is %s', (code, name) => {
    expect(classOfFailure(code)?.name).toBe(name)
  })

  it('of what is the fault of a page, of a handler, or for good, is none', () => {
    const retried = (Object.keys(FAILURES) as FailureCode[]).filter((code) => classOfFailure(code) !== undefined)
    expect(retried.filter((code) => FAILURES[code].blame === 'url')).toEqual(['AVO_TRUNCATED'])
    expect(retried.filter((code) => FAILURES[code].blame === 'user')).toEqual([])
  })
})

describe('the delay', () => {
  it.each<[FailureCode | number, number, string]>([
    ['AVO_RESET', 0, '0 to 1000'],
    ['AVO_RESET', 3, '0 to 8000'],
    ['AVO_RESET', 99, '0 to 300000'],
    ['AVO_FIRST_BYTE_TIMEOUT', 0, '0 to 10000'],
    ['AVO_FIRST_BYTE_TIMEOUT', 99, '0 to 1800000'],
    ['AVO_CONNECT_REFUSED', 0, '0 to 60000'],
    ['AVO_DNS_NOT_FOUND', 0, '0 to 600000'],
    ['AVO_DNS_NOT_FOUND', 99, '0 to 21600000'],
    [502, 0, '0 to 5000'],
    [502, 99, '0 to 900000'],
    [429, 0, '500 to 1000'],
    [429, 4, '8000 to 16000'],
    [429, 99, '150000 to 300000'],
    [403, 0, '720000 to 900000'],
    [403, 99, '720000 to 900000'],
  ])('after %s, tried %i times, is %s ms', (what, tries, range) => {
    const retryClass = typeof what === 'number' ? classOfStatus(what) : classOfFailure(what)
    if (retryClass === undefined) throw new Error('expected a class')
    expect([0, 1].map((chance) => delayMs(retryClass, tries, chance)).join(' to ')).toBe(range)
  })
})

describe('a request may be sent twice', () => {
  const careful = { idempotent: false, retryUnsafe: false }
  it.each([
    ['GET', true, careful, true],
    ['HEAD', true, careful, true],
    ['OPTIONS', true, careful, true],
    ['PUT', true, careful, false],
    ['PUT', true, { ...careful, idempotent: true }, true],
    ['DELETE', true, { ...careful, idempotent: true }, true],
    ['POST', true, { ...careful, idempotent: true }, false],
    ['POST', false, careful, true],
    ['POST', true, { ...careful, retryUnsafe: true }, true],
    ['PATCH', true, careful, false],
  ])('%s, processed: %s, with %o: %s', (method, processed, vouched, repeatable) => {
    expect(isRepeatable(method, processed, vouched)).toBe(repeatable)
  })
})
