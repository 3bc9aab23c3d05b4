// What kind of dead letter each reason is.
import { FAILURES } from '@avocet/core/plugin'
import { deadLetterClass, DEAD_LETTERS, deadLetterClassOf } from '../../src/store/dead-letter-class.ts'
import { describe, expect, it } from 'vitest'

describe('the class of a dead letter', () => {
  it.each([
    ['http-503', 'exhausted'],
    ['http-500', 'exhausted'],
    ['http-522', 'exhausted'],
    ['first-byte-timeout', 'exhausted'],
    ['connect-refused', 'exhausted'],
    ['reset', 'exhausted'],
    ['http-408', 'exhausted'],
    ['http-429', 'throttled'],
    ['http-401', 'blocked'],
    ['http-403', 'blocked'],
    ['http-451', 'blocked'],
    ['http-999', 'blocked'],
    ['http-402', 'payment'],
    ['out-of-scope', 'out-of-scope'],
    ['http-404', 'permanent'],
    ['http-410', 'permanent'],
    ['http-501', 'permanent'],
    ['body-too-large', 'permanent'],
    ['redirect-loop', 'permanent'],
    ['tls-certificate', 'permanent'],
    ['tls-intermediate', 'permanent'],
    ['tls-http2-only', 'permanent'],
    ['dns-not-found', 'host-dead'],
    ['robots-disallowed', 'robots'],
    ['robots', 'robots'],
    ['handler-threw', 'handler'],
    ['plugin-threw', 'handler'],
    ['commit-rejected', 'handler'],
    ['poison', 'poison'],
    ['blocked-captcha', 'blocked'],
    ['three-pages-are-enough', 'plugin-drop'],
  ])('of %s is %s', (reason, expected) => {
    expect(deadLetterClass({ state: 'failed', reason })).toBe(expected)
  })

  it('of a request that waits is host-dead when its host was given up, and none otherwise', () => {
    expect(deadLetterClass({ state: 'waiting', reason: 'reset' }, { retiredFor: 'never answered, 3 times in a row' })).toBe(
      'host-dead',
    )
    expect(deadLetterClass({ state: 'waiting', reason: 'reset' }, {})).toBeUndefined()
    expect(deadLetterClass({ state: 'waiting' })).toBeUndefined()
  })

  it('of what is done or moved is none, whatever became of its host', () => {
    expect(deadLetterClass({ state: 'done' }, { retiredFor: 'gone' })).toBeUndefined()
    expect(deadLetterClass({ state: 'moved' })).toBeUndefined()
  })

  it.each(['constructor', 'toString', '__proto__'])('of a word of a plugin is a class, whatever the word: %s', (reason) => {
    expect(deadLetterClassOf(reason)).toBe('plugin-drop')
  })

  it('says who dropped a page', () => {
    expect(DEAD_LETTERS[deadLetterClassOf('three-pages-are-enough')]).toContain('dropped by a plugin')
  })

  it('is known for every code of a failure', () => {
    const reasons = Object.keys(FAILURES).map((code) => code.slice(4).toLowerCase().replaceAll('_', '-'))
    expect(reasons.map(deadLetterClassOf).every((name) => name in DEAD_LETTERS)).toBe(true)
  })
})
