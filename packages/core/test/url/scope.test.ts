// Which discovered URLs belong to the crawl, and why the others do not.
import { describe, expect, it } from 'vitest'
import type { Scope } from '../../src/ports/spider.ts'
import { hostKeyOf } from '../../src/url/host-key.ts'
import { compileScope } from '../../src/url/scope.ts'

function refusals(scope: Scope, urls: readonly string[], depth = 1): readonly (string | undefined)[] {
  const compiled = compileScope(scope, ['shop.example'], () => {})
  return urls.map((url) => compiled.refusal(url, hostKeyOf(url, 'host'), depth))
}

describe('scope', () => {
  it('keeps to the hosts of seeds by default', () => {
    expect(refusals({}, ['https://shop.example/a', 'https://www.shop.example/', 'https://shop.example:8443/'])).toEqual([
      undefined,
      'off-host',
      'off-host',
    ])
  })

  it('takes the whole domain with the option for it', () => {
    expect(refusals({ within: 'seed-domains' }, ['https://www.shop.example/', 'https://other.example/'])).toEqual([
      undefined,
      'off-host',
    ])
  })

  it('takes further hosts, as people write them', () => {
    expect(
      refusals({ hosts: ['Bücher.example'] }, ['https://xn--bcher-kva.example/', 'https://a.xn--bcher-kva.example/']),
    ).toEqual([undefined, 'off-host'])
  })

  it('blocks hosts with their subdomains, whatever else allows them', () => {
    const scope: Scope = { within: 'any', blockedHosts: ['bad.example'] }

    expect(refusals(scope, ['https://bad.example/', 'https://a.b.bad.example:81/', 'https://notbad.example/'])).toEqual([
      'blocked-host',
      'blocked-host',
      undefined,
    ])
  })

  it('ends at a depth', () => {
    expect(refusals({ maxDepth: 2 }, ['https://shop.example/'], 2)).toEqual([undefined])
    expect(refusals({ maxDepth: 2 }, ['https://shop.example/'], 3)).toEqual(['too-deep'])
  })

  it('wants one of `allow` and none of `deny`, every time it is asked', () => {
    const scope: Scope = { allow: [/\/p\//g, /\/q\//], deny: [/print/y, /\?print/] }
    const urls = [
      'https://shop.example/p/1',
      'https://shop.example/q/1',
      'https://shop.example/r/1',
      'https://shop.example/p/1?print',
    ]

    expect(refusals(scope, [...urls, ...urls])).toEqual([
      undefined,
      undefined,
      'not-allowed',
      'denied',
      undefined,
      undefined,
      'not-allowed',
      'denied',
    ])
  })

  it('refuses what only traps make', () => {
    expect(refusals({}, [`https://shop.example/${'a/'.repeat(5)}`, `https://shop.example/?${'a=1&'.repeat(64)}`])).toEqual([
      'trap',
      'url-limit',
    ])
  })

  it("grows by the hosts of a seed's site that seeds redirect to, and says so once", () => {
    const joined: string[] = []
    const scope = compileScope({}, ['shop.example'], (hostKey) => joined.push(hostKey))

    const admitted = ['www.shop.example', 'www.shop.example', 'shop.example', 'other.example'].map((hostKey) =>
      scope.admitTarget(`https://${hostKey}/`, hostKey),
    )

    expect(admitted.map(({ isElsewhere }) => isElsewhere)).toEqual([false, false, false, true])
    expect(joined).toEqual(['www.shop.example'])
    expect(scope.refusal('https://www.shop.example/', 'www.shop.example', 1)).toBeUndefined()
    expect(scope.refusal('https://other.example/', 'other.example', 1)).toBe('off-host')
  })
})
