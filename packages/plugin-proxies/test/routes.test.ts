// What may be said of proxies, and which of it counts for a request.
import { describe, expect, it } from 'vitest'
import { proxies, type ProxyRoutes } from '../src/index.ts'
import { routesOf } from '../src/routes.ts'

const labelsOf = (
  routes: ProxyRoutes,
  hostKey: string,
  scheme: 'http' | 'https' = 'https',
  session?: string,
): readonly string[] =>
  routesOf(routes, { sessions: { alice: 'socks5://alice:x@s.test' } })
    .of({ hostKey, scheme, session })
    .map(({ label }) => label)

describe('routes', () => {
  const routes: ProxyRoutes = {
    '*': 'http://me:secret@all.test:8080',
    '*.shop.example': ['http://a.test:1000', 'http://b.test:1000'],
    'api.shop.example': 'direct',
    'api.shop.example:8080': { http: 'http://plain.test', https: 'direct' },
    'half.example': { https: 'http://only-https.test' },
  }

  it.each([
    ['other.example', 'https', ['http://all.test:8080']],
    ['shop.example', 'https', ['http://all.test:8080']],
    ['www.shop.example', 'https', ['http://a.test:1000', 'http://b.test:1000']],
    ['api.shop.example', 'https', []],
    ['api.shop.example:8080', 'http', ['http://plain.test:80']],
    ['api.shop.example:8080', 'https', []],
    ['api.shop.example:9090', 'https', []],
    ['half.example', 'https', ['http://only-https.test:80']],
    ['half.example', 'http', ['http://all.test:8080']],
  ] as const)('of %s (%s) are the most specific ones: %j', (hostKey, scheme, expected) => {
    expect(labelsOf(routes, hostKey, scheme)).toEqual(expected)
  })

  it('of a session go before those of its host', () => {
    expect(labelsOf(routes, 'api.shop.example', 'https', 'alice')).toEqual(['socks5://s.test:1080'])
    expect(labelsOf(routes, 'api.shop.example', 'https', 'bob')).toEqual([])
  })

  it.each([
    ['other.example', undefined, ['http://all.test:8080', 'http://all.test:8080']],
    ['api.shop.example:9090', undefined, undefined],
    // Hosts that are keyed by domain: what is below it may be meant as well.
    ['shop.example', undefined, undefined],
    ['half.example', undefined, ['http://all.test:8080', 'http://only-https.test:80']],
    ['half.example', 'https', ['http://only-https.test:80']],
    ['api.shop.example:8080', 'http', ['http://plain.test:80']],
  ] as const)('of %s (%s) that may serve anything of it: %j', (hostKey, scheme, expected) => {
    expect(
      routesOf(routes)
        .allOf(hostKey, scheme)
        ?.map(({ label }) => label),
    ).toEqual(expected)
  })

  it('name proxies that share a URL by the place of their user name, not by the name', () => {
    const shared = ['http://ann:x@p.test:1', 'http://bob:x@p.test:1', 'http://ann:y@p.test:1']

    expect(labelsOf({ '*': shared }, 'shop.example')).toEqual([
      'http://p.test:1 (user 1 of 2)',
      'http://p.test:1 (user 2 of 2)',
      'http://p.test:1 (user 1 of 2)',
    ])
  })

  it('are shown without credentials', () => {
    expect(JSON.stringify(proxies(routes, { sessions: { alice: 'socks5://alice:x@s.test' } }).options)).not.toMatch(
      /secret|alice:/,
    )
  })

  it.each([
    [{ '*': 'proxy.example:8080' }, /scheme/],
    [{ '*': 'ftp://me:secret@proxy.example' }, /ftp:/],
    [{ '*': [] }, /'direct'/],
    [{ '*': ['http://a.test', 'direct'] }, /scheme/],
    [{ '*': 42 }, /number/],
    [{ '*': { ftp: 'http://a.test' } }, /http and https/],
    [{ 'HTTP://x': 'http://a.test' }, /host name/],
    [null, /proxies/],
  ])('may not be %j', (wrong, message) => {
    const make = (): unknown => proxies(wrong as unknown as ProxyRoutes)

    expect(make).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message: expect.stringMatching(message) }))
    expect(make).not.toThrow(/secret/)
  })

  it('take no unknown option', () => {
    expect(() => proxies({}, { session: {} } as object)).toThrow(/sessions/)
  })
})
