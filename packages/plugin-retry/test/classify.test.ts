// What is worth another attempt, how soon, and how often.
import { FAILURES, type Answered, type Exchange, type FailureCode } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { BLOCKED, classOfAnswer, classOfFailure, classOfStatus, DOUBTFUL, type RetryClass } from '../src/classify.ts'
import { delayMs, isRepeatable } from '../src/decide.ts'

function answerOf(
  status: number,
  { wanted = false, forbidden = false, attempts = 0, blocking = { inRow: 0, isSuspected: false } } = {},
): Answered {
  const request = { attempts } as Partial<Exchange['request']>
  const host = { blocking: { ...blocking, isCertain: false } } as Partial<Exchange['host']>
  const exchange = { request, host } as Exchange
  const page: Answered['page'] = () => {
    throw new Error('expected no look at the page')
  }
  const votes = { retry: () => {}, drop: () => {} }
  return { exchange, response: { status } as Answered['response'], now: 0, wanted, forbidden, page, ...votes }
}

describe('the class', () => {
  it.each<readonly [number, string | undefined]>([
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
    ...[200, 304, 400, 401, 403, 999, 404, 405, 410, 414, 501, 505, 511].map((status) => [status, undefined] as const),
  ])('of status %i is %s', (status, name) => {
    expect(classOfStatus(status)?.name).toBe(name)
  })

  it.each<readonly [string, { inRow: number; isSuspected: boolean }, number, RetryClass | undefined]>([
    ['is taken for private', { inRow: 1, isSuspected: false }, 0, undefined],
    ['that is the second in a row may be one of a ban', { inRow: 2, isSuspected: true }, 0, DOUBTFUL],
    ['that is the second in a row, and was asked for before', { inRow: 2, isSuspected: true }, 1, BLOCKED],
    ['that is the third in a row', { inRow: 3, isSuspected: true }, 0, BLOCKED],
    ['of a row no longer than those of private pages', { inRow: 3, isSuspected: false }, 0, undefined],
  ])('of a forbidden page %s', (_what, blocking, attempts, retryClass) => {
    expect(classOfAnswer(answerOf(403, { forbidden: true, blocking, attempts }))).toBe(retryClass)
  })

  it('of a page that the spider wants is none, of one that is not forbidden that of its status', () => {
    expect(classOfAnswer(answerOf(503, { wanted: true }))).toBeUndefined()
    expect(classOfAnswer(answerOf(503))?.name).toBe('throttle')
  })

  it.each<[FailureCode, string]>([
    ['AVO_RESET', 'transient'],
    ['AVO_CLOSED_EARLY', 'transient'],
    ['AVO_TRUNCATED', 'transient'],
    ['AVO_FILE_RANGE', 'transient'],
    ['AVO_CONNECT_TIMEOUT', 'connect'],
    ['AVO_CONNECT_REFUSED', 'refused'],
    ['AVO_FIRST_BYTE_TIMEOUT', 'timeout'],
    ['AVO_TOO_SLOW', 'timeout'],
    ['AVO_DNS_NOT_FOUND', 'dns'],
    ['AVO_DNS_FAILED', 'dns'],
    ['AVO_TLS_FAILED', 'tls'],
    ['AVO_TLS_INTERMEDIATE', 'certificate'],
    ['AVO_PROTOCOL', 'protocol'],
    ['AVO_BROWSER_PAGE', 'rendering'],
  ])('of %s is %s', (code, name) => {
    expect(classOfFailure(code)?.name).toBe(name)
  })

  it('of what is the fault of a page, of a handler, or for good, is none', () => {
    const retried = (Object.keys(FAILURES) as FailureCode[]).filter((code) => classOfFailure(code) !== undefined)
    expect(retried.filter((code) => FAILURES[code].blame === 'url')).toEqual([
      'AVO_TRUNCATED',
      'AVO_FILE_RANGE',
      'AVO_BROWSER_PAGE',
    ])
    expect(retried.filter((code) => FAILURES[code].blame === 'user')).toEqual([])
  })
})

describe('the delay', () => {
  it.each<[FailureCode | number | RetryClass, number, string]>([
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
    [BLOCKED, 0, '720000 to 900000'],
    [BLOCKED, 99, '720000 to 900000'],
    [DOUBTFUL, 0, '60000 to 90000'],
  ])('after %o, tried %i times, is %s ms', (what, tries, range) => {
    const known = typeof what === 'string' ? classOfFailure(what) : what
    const retryClass = typeof known === 'number' ? classOfStatus(known) : known
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
