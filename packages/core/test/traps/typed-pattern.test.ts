// Patterns that people type, as the crawl names them.
import { describe, expect, it } from 'vitest'
import { typedPattern } from '../../src/traps/typed-pattern.ts'
import { urlPatterns } from '../../src/traps/url-patterns.ts'

describe('a pattern that is typed', () => {
  it.each([
    ['SHOP.example/cal?D=*', 'shop.example/cal?D=*'],
    ['bücher.example/**', 'xn--bcher-kva.example/**'],
    ['shop.example/cal?d=2026-11-22', 'shop.example/cal?d=*'],
    ['shop.example/2026/news/17', 'shop.example/#/news/*'],
    ['shop.example:80/**', 'shop.example/**'],
    ['shop.example:443/**', 'shop.example/**'],
    ['shop.example:8080/x', 'shop.example:8080/*'],
    ['shop.example/archive/**', 'shop.example/archive/**'],
    ['shop.example/2026/**?d=1', 'shop.example/#/**?d=*'],
    ['shop.example//**', 'shop.example//**'],
    ['shop.example/go/http://x.example', 'shop.example/go/http://*'],
    ['shop.example/a?', 'shop.example/*'],
    ['*.MALL.localhost', '*.mall.localhost'],
    ['*.shop.example:8080', '*.shop.example'],
    ['*.bücher.example', '*.xn--bcher-kva.example'],
  ])('%s is %s', (typed, named) => {
    expect(typedPattern(typed, 'host')).toBe(named)
  })

  it('is of the registrable domain where hosts are kept by domain', () => {
    expect(typedPattern('www.shop.example:8080/cal?d=1', 'domain')).toBe('shop.example/cal?d=*')
  })

  it.each([
    ['*.s1.mall.localhost', 'write *.mall.localhost for its hosts, or s1.mall.localhost/** for all of one host'],
    ['*.localhost', 'nobody registers localhost itself; write *.NAME.localhost for one domain below it'],
    ['*.co.uk', 'nobody registers co.uk itself'],
    ['*.127.0.0.1', 'an address has no hosts below it; for all of it write 127.0.0.1/**'],
    ['*.shop.example/**', 'write *.shop.example for its hosts, or shop.example/** for all of one host'],
    ['sh*p.example/**', 'expected a host name before the path'],
    ['shop.example/a/b/**', 'write shop.example/a/**'],
    ['shop.example/a/**?**', 'write shop.example/a/**'],
    ['cal', 'expected a pattern such as'],
    ['http://shop.example/cal', 'expected a pattern such as'],
  ])('%s is refused: %s', (typed, why) => {
    expect(() => typedPattern(typed, 'host')).toThrow(why)
  })

  it.each([
    '/',
    '/cal',
    '/cal/day/?d=1&m=2',
    '/2026/11/22/x.html',
    '/a/1/2/3/4/5/6',
    '/news;jsessionid=0A1B2C3D4E',
    '/0123456789abcdef/list?a=1',
    '/p12.php?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9',
    '/x?=&&a',
    '/%E2%82%AC/ü?q=ä',
    '/deadbeef01%zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz.zz/x',
    '/a?&&',
    '/a?a&b&a&b&a&b&a&b&c',
    '//a//b',
    '/go/http://x.example',
  ])('names every pattern of %s as it is', (path) => {
    for (const name of urlPatterns(new URL(path, 'http://shop.example').href))
      expect(typedPattern(`shop.example${name}`, 'host')).toBe(`shop.example${name}`)
  })
})
