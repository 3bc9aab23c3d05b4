// What each answer and each failure says about its host.
import type { FailureCode } from '@avocet/core/plugin'
import { failure } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { signalOfAnswer, signalOfFailure } from '../src/signal.ts'

/** What core says of a status that nobody wants. */
const judged = (status: number) => ({ wanted: false, forbidden: [401, 403, 407, 451, 999].includes(status) })

describe('an answer', () => {
  it.each([
    [200, 'alive'],
    [304, 'alive'],
    [404, 'alive'],
    [410, 'alive'],
    [501, 'alive'],
    [511, 'alive'],
    [408, 'neutral'],
    [425, 'neutral'],
    [429, 'refused'],
    [401, 'blocked'],
    [403, 'blocked'],
    [407, 'blocked'],
    [451, 'blocked'],
    [999, 'blocked'],
    [500, 'error'],
    [502, 'failure'],
    [503, 'failure'],
    [504, 'failure'],
    [522, 'failure'],
    [529, 'failure'],
  ])('of status %i is %s', (status, kind) => {
    expect(signalOfAnswer({ status, headers: {} }, judged(status)).kind).toBe(kind)
  })

  it.each([
    [429, 'neutral'],
    [503, 'neutral'],
    [502, 'failure'],
  ])('of status %i with Retry-After is %s: who says when to come back is kept to by the pace', (status, kind) => {
    expect(signalOfAnswer({ status, headers: { 'retry-after': '60' } }, judged(status)).kind).toBe(kind)
  })

  it('that the spider wants is none of these, and statuses may be taken off the list', () => {
    expect(signalOfAnswer({ status: 503, headers: {} }, { wanted: true, forbidden: false })).toEqual({ kind: 'alive' })
    expect(signalOfAnswer({ status: 403, headers: {} }, { wanted: false, forbidden: false })).toEqual({ kind: 'alive' })
  })

  it('carries the word that reports use', () => {
    expect(signalOfAnswer({ status: 504, headers: {} }, judged(504))).toEqual({ kind: 'failure', word: 'http-504' })
  })
})

describe('a failure', () => {
  it.each<[FailureCode, object]>([
    ['AVO_CONNECT_REFUSED', { kind: 'failure', word: 'connect-refused' }],
    ['AVO_FIRST_BYTE_TIMEOUT', { kind: 'failure', word: 'first-byte-timeout' }],
    ['AVO_RESET', { kind: 'failure', word: 'reset' }],
    ['AVO_DNS_FAILED', { kind: 'failure', word: 'dns-failed' }],
    ['AVO_DNS_NOT_FOUND', { kind: 'hopeless', of: 'dns', word: 'dns-not-found' }],
    ['AVO_TLS_INTERMEDIATE', { kind: 'hopeless', of: 'certificate', word: 'tls-intermediate' }],
    ['AVO_TLS_CERTIFICATE', { kind: 'hopeless', of: 'certificate', word: 'tls-certificate' }],
    ['AVO_FILE_TYPE', { kind: 'alive' }],
    ['AVO_FILE_UNWRITABLE', { kind: 'neutral' }],
    ['AVO_TRUNCATED', { kind: 'alive' }],
    ['AVO_ADDRESS_REFUSED', { kind: 'neutral' }],
    ['AVO_PORT_REFUSED', { kind: 'neutral' }],
    ['AVO_LOCAL_RESOURCES', { kind: 'neutral' }],
    ['AVO_HANDLER_THREW', { kind: 'neutral' }],
  ])('%s is %o', (code, signal) => {
    expect(signalOfFailure(failure(code, 'as the test wants it'))).toEqual(signal)
  })

  it('AVO_BODY_TOO_LARGE is a failure where it cost the host anything, and not where the headers said it', () => {
    const tooLarge = (wireBytes: number): ReturnType<typeof signalOfFailure> =>
      signalOfFailure(failure('AVO_BODY_TOO_LARGE', 'as the test wants it', { wireBytes }))
    expect(tooLarge(10_485_761)).toEqual({ kind: 'failure', word: 'body-too-large' })
    expect(tooLarge(0)).toEqual({ kind: 'alive' })
  })
})
