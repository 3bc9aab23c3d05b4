// Names of patterns: whatever a crawl may close and name can be accepted under that name, letter by letter, from the command line and by core.
import { hostKeyOf } from '@avocet/core/store'
import { parseUrl } from '@avocet/core/plugin'
import { memoryFrontier } from '@avocet/store-memory'
import { Orders, typedPattern, urlPatterns } from '@avocet/core/tools'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { sameOf } from '../../../packages/cli/src/scope/acceptable-patterns.ts'
import { property, type Property } from '../property.ts'

const TOKENS = [
  ...Array.from('ab1/?&=;.~!-_#%+ :@\\$(\'"[]*é0A|^'),
  ...['22', '2026-11-22', '//', '/./', '..', '&d=', '&&', '==', 'month=', '**', '/**', '&**', '?**'],
  ...['%23', '%2A', '%3F', '%2e', '%zz', '%5B', '%20', '%EF%B7%90', '\ufdd0', '.html', '.php', ';jsessionid=1', '://', 'http://'],
  ...['deadbeef01', 'x'.repeat(45), '1x'.repeat(10), '&a&b&c&d&e&f&g&h', '/1/2/3', '/a/a'],
] as const
const HOSTS = [
  ...['shop.example', 'shop.example:8080', 'shop.example:443', 'shop.example:80', '127.0.0.1', '[::1]:81'],
  ...['xn--bcher-kva.example', 'a.b.co.uk', 'localhost:99', 'shop.example.'],
] as const

const urls = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom(...HOSTS),
    fc.array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TOKENS) }, fc.string({ unit: 'binary', maxLength: 3 })), {
      maxLength: 10,
    }),
  )
  .map(([scheme, host, pieces]) => `${scheme}://${host}/${pieces.join('')}`)

const kept = property(
  { name: 'pattern-names', what: 'each name that a crawl gives a pattern is accepted as it is', runs: 6_000 },
  urls,
  async (text) => {
    const url = parseUrl(text)
    if (url === undefined) return
    const hostKey = hostKeyOf(url, 'host')
    for (const name of urlPatterns(url)) {
      const full = hostKey + name
      const frontier = memoryFrontier()
      await frontier.open({ name: 'patterns', canonicalisation: 'v1', hostKeying: 'host' }, 0)
      await Orders.give(frontier, { kind: 'accept', patterns: [full] }, 0)
      assert.deepEqual([...(await Orders.of(frontier.reader)).accepted], [full])
      assert.equal(sameOf([full], full, 'host'), full)
      // A segment that is itself a pattern's word may be taken for that: it is refused then, or named as it is.
      if (!url.includes('**')) assert.equal(typedPattern(full, 'host', hostKey), full)
    }
  },
)

/** All of this file. */
export const PATTERN_PROPERTIES: readonly Property[] = [kept]
