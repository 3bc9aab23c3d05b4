// What the variables say that all programs read.
import { describe, expect, it } from 'vitest'
import { environmentProxies } from '../../src/plan/proxy-wish.ts'

describe('the proxies of the environment', () => {
  it.each([
    [{}, undefined],
    [{ NO_PROXY: 'shop.example' }, undefined],
    [{ HTTPS_PROXY: '  ' }, undefined],
    [{ HTTPS_PROXY: 'http://a:1', NO_PROXY: '*' }, undefined],
    [{ HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:1' }, { https: 'http://b:1' }],
    [
      { HTTP_PROXY: 'a:1', https_proxy: 'socks5://b' },
      { http: 'http://a:1', https: 'socks5://b' },
    ],
    [{ ALL_PROXY: 'http://a:1' }, { http: 'http://a:1', https: 'http://a:1' }],
    [
      { ALL_PROXY: 'http://a:1', http_proxy: 'http://b:1' },
      { http: 'http://b:1', https: 'http://a:1' },
    ],
  ])('%j: %j', async (env, expected) => {
    expect((await environmentProxies(env))?.routes['*']).toEqual(expected)
  })

  it('are not used for this machine, nor for what NO_PROXY names', async () => {
    const found = await environmentProxies({
      HTTPS_PROXY: 'http://a:1',
      NO_PROXY: ' .Shop.example,*.other.example 192.0.2.7 ::1,inner:8080,web:443',
    })

    expect(Object.keys(found?.routes ?? {})).toEqual([
      ...['localhost', '*.localhost', '127.0.0.1', '[::1]', 'shop.example', '*.shop.example', 'other.example', '*.other.example'],
      ...['192.0.2.7', 'inner:8080', '*.inner:8080', 'web', '*.web', '*'],
    ])
    expect(found?.variables).toEqual(['HTTPS_PROXY', 'NO_PROXY'])
  })

  it.each([
    ['2001:DB8:0:0:0:0:0:1', ['[2001:db8::1]']],
    ['[2001:db8::0:1]:8080', ['[2001:db8::1]:8080']],
    ['::ffff:192.0.2.7', ['[::ffff:c000:207]']],
    ['shop.example.', ['shop.example', '*.shop.example']],
    ['shop.example.:8080', ['shop.example:8080', '*.shop.example:8080']],
  ])('know an entry of NO_PROXY as URLs have it: %s', async (entry, patterns) => {
    const routes = (await environmentProxies({ HTTPS_PROXY: 'a:1', NO_PROXY: entry }))?.routes ?? {}

    const own = Object.keys(routes).filter((pattern) => !/^(?:\*|(?:\*\.)?localhost|127\.0\.0\.1|\[::1\])$/.test(pattern))
    expect(own).toEqual(patterns)
  })

  it('say which entries of NO_PROXY they cannot follow', async () => {
    expect((await environmentProxies({ HTTPS_PROXY: 'a:1', NO_PROXY: '10.0.0.0/8,ok.example,a b?' }))?.ignored).toEqual([
      '10.0.0.0/8',
      'b?',
    ])
  })

  it('name the variable that is no proxy, without its password', async () => {
    const wrong = environmentProxies({ https_proxy: 'ftp://me:secret@a' })

    await expect(wrong).rejects.toThrow(
      expect.objectContaining({ code: 'AVO_USAGE', message: expect.stringMatching(/^https_proxy: expected .* --proxy direct$/) }),
    )
    await expect(wrong).rejects.not.toThrow(/secret/)
  })
})
