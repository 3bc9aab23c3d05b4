// Passwords in URLs: no error, failure or line says them.
import { describe, expect, it } from 'vitest'
import { AvocetError, link, spider } from 'avocet'
import { failure } from '@avocet/core/store'
import { withoutUserinfo } from '../../src/values/userinfo.ts'
import { checkedSeed } from '../../src/discovery/seeds.ts'
import { LateCodec } from '../../src/run/late-codec.ts'

describe('a URL in a message', () => {
  it.each([
    ['ftp://me:s3cret@files.example/x', 'ftp://files.example/x'],
    ["got 'https://me:s3cret@a.example/' and http://t0ken@b.example", "got 'https://a.example/' and http://b.example"],
    ['"ftp://me:s3cret@a.example"; write', '"ftp://a.example"; write'],
    ['https://me:s3@cret@a.example/p', 'https://a.example/p'],
    ['https://me:s3/cret@a.example/p', 'https://a.example/p'],
    ['http://me:s3?cr#et@[::1', 'http://[::1'],
    // The @ belongs to the password: there is no host behind it.
    ['http://me:s3@/cret@a.example/p', 'http://a.example/p'],
    ['http://me:s3@?cret@a.example/p', 'http://a.example/p'],
    ['http://me:1@/2@a.example/p', 'http://a.example/p'],
    ['http://t0ken@', 'http://'],
    ['https:\\\\me:s3cret@a.example\\x', 'https:\\\\a.example\\x'],
    ['https:/me:s3cret@a.example/x', 'https:/a.example/x'],
    ['https:me:s3cret@a.example/x', 'https:a.example/x'],
  ])('%s loses who asks, and the password', (text, shown) => {
    expect(withoutUserinfo(text)).toBe(shown)
  })

  it.each([
    ['no postgres://me:s3cret@db.example/crawls?crawl=x', 'no postgres://me@db.example/crawls?crawl=x'],
    ['postgresql://me:s3/cret@db.example/crawls', 'postgresql://me@db.example/crawls'],
    ['postgres://me@db.example/crawls', 'postgres://me@db.example/crawls'],
    // What is before the colon may be anything.
    ['postgres://s3%cret:x@db.example/crawls', 'postgres://db.example/crawls'],
  ])('%s, that of a store, keeps its user alone', (text, shown) => {
    expect(withoutUserinfo(text)).toBe(shown)
  })

  it.each([
    'https://a.example/@user/status/1',
    'https://a.example:8080/@user?to=me@b.example#c@d',
    'mail me@a.example about https://a.example/',
    'data:text/plain,x@y',
    'no URL at all: a@b',
  ])('%s stays as it is', (text) => {
    expect(withoutUserinfo(text)).toBe(text)
  })

  it('is looked at in time that grows with its length', () => {
    for (const piece of ['://', 'http:', 'a.', '@', 'http://a:b', ':/@', 'https:\\']) {
      const startedAt = process.cpuUsage()
      withoutUserinfo(piece.repeat(1_000_000))
      const { user, system } = process.cpuUsage(startedAt)
      expect((user + system) / 1_000).toBeLessThan(5_000)
    }
  })
})

describe('errors and failures', () => {
  it('of a seed of another scheme do not say its password', () => {
    const files = spider({ name: 'x', seeds: ['ftp://me:s3cret@files.example/'], handlers: { *start() {} } })
    const codec = new LateCodec(() => Promise.reject(new Error('expected none')))
    const check = (): unknown => checkedSeed('ftp://me:s3cret@files.example/', { spider: files, codec })
    expect(check).toThrow("got 'ftp://files.example/'")
  })

  it('say none, from any code that makes them', () => {
    expect(new AvocetError('AVO_USAGE', 'got http://me:s3cret@a.example/').message).toBe('got http://a.example/')
    expect(failure('AVO_REDIRECT_TARGET', 'got "ftp://me:s3cret@a.example/"').message).toBe('got "ftp://a.example/"')
    expect(() => link('http://me:s3cret@a.example/', { identity: '' })).toThrow('link("http://a.example/")')
  })
})
