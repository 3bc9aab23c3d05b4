// What a proxy URL may be, and that its credentials are never quoted.
import { describe, expect, it } from 'vitest'
import { proxyServerOf } from '../src/proxy-server.ts'

describe('the URL of a proxy', () => {
  it.each([
    ['http://proxy.example:8080', { url: 'http://proxy.example:8080', kind: 'http', hostname: 'proxy.example', port: 8080 }],
    ['HTTP://Proxy.Example', { url: 'http://proxy.example:80', kind: 'http', hostname: 'proxy.example', port: 80 }],
    ['http://proxy.example:21/', { url: 'http://proxy.example:21', kind: 'http', hostname: 'proxy.example', port: 21 }],
    ['https://proxy.example', { url: 'https://proxy.example:443', kind: 'https', hostname: 'proxy.example', port: 443 }],
    ['https://proxy.example:80', { url: 'https://proxy.example:80', kind: 'https', hostname: 'proxy.example', port: 80 }],
    ['socks5://[::1]', { url: 'socks5://[::1]:1080', kind: 'socks5', hostname: '::1', port: 1080 }],
    ['socks5h://10.0.0.1:9050', { url: 'socks5h://10.0.0.1:9050', kind: 'socks5', hostname: '10.0.0.1', port: 9050 }],
    [
      'http://me:p%40ss@p.example:3128',
      { url: 'http://p.example:3128', kind: 'http', hostname: 'p.example', port: 3128, username: 'me', password: 'p@ss' },
    ],
    [
      'http://token@p.example:1',
      { url: 'http://p.example:1', kind: 'http', hostname: 'p.example', port: 1, username: 'token', password: '' },
    ],
  ])('%s', (text, expected) => {
    expect(proxyServerOf(text)).toMatchObject(expected)
  })

  it('has an id that its user name is part of, and its password is not', () => {
    const ids = ['p.example', 'me:a@p.example', 'me:b@p.example', 'you:a@p.example'].map((rest) =>
      proxyServerOf(`http://${rest}`),
    )
    const [none, a, b, other] = ids.map((server) => (typeof server === 'string' ? '' : server.id))
    expect(none).toBe('http://p.example:80')
    expect(b).toBe(a)
    expect(new Set([none, a, other]).size).toBe(3)
  })

  it.each([
    '',
    'proxy.example:8080',
    'ftp://me:secret@p.example',
    'http://',
    'http://me:secret@p.example:99999',
    'http://me:secret@p.example:0',
    'http://me:secret@p.example/path',
    'http://me:secret@p.example?x',
    'http://me:secret%zz@p.example',
    'http://me%3A:secret@p.example',
    `socks5://me:secret${'x'.repeat(256)}@p.example`,
    42,
    undefined,
  ])('is not %s, and the message quotes no password', (text) => {
    const problem = proxyServerOf(text)

    expect(problem).toMatch(/^expected .*, got /)
    expect(problem).not.toContain('secret')
  })
})
