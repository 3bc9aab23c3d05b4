// The text that is kept of a robots.txt decides as the file does, without being parsed.
import { decidingRule, parseRobots, type Robots, type Rule } from '@avocet/plugin-robots'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidingRuleIn, keptText } from '../src/kept-text.ts'
import { heavier, matchedPathOf } from '../src/pattern.ts'

const ORIGIN = 'http://shop.test'
const AGENT = 'avocet'

function isAllowedByKept(kept: string, url: string): boolean {
  return decidingRuleIn(kept, url)?.allow ?? true
}

/** The first rule in the order of RFC 9309, each tried as a regular expression. */
function firstOf({ groups }: Robots, url: string): Rule | undefined {
  const path = matchedPathOf(url) ?? ''
  const expression = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll(/[.?]/g, '[$&]').replaceAll('*', '[^]*')}`)
  const rules = groups.flatMap((group) => group.rules).filter(({ pattern }) => expression(pattern).test(path))
  return rules.toSorted(heavier)[0]
}

describe('the kept text of a robots.txt', () => {
  it.each([
    ['/a/b', false],
    ['/a', true],
    ['/a/b/open/x', true],
    ['/x.php', false],
    ['/x.php?y', true],
    ['/deep/1/2/private', false],
    ['/caf%C3%A9/x', false],
    ['/robots.txt', true],
    ['/', true],
  ])('decides on %s: %s', (path, expected) => {
    const file = [
      'User-agent: *',
      'Disallow: /a/',
      'Allow: /a/b/open',
      'Disallow: /*.php$',
      'Disallow: /deep/*/private',
      'Disallow: /café',
      'Disallow: /robots.txt',
      'Sitemap: /map.xml',
    ].join('\n')

    expect(isAllowedByKept(keptText(parseRobots(file), AGENT), ORIGIN + path)).toBe(expected)
  })

  it('says what the rules say, whatever they are', () => {
    const part = fc.constantFrom('/', 'a', 'b', '*', '$', '%41', 'é', '?', '/a', '#')
    const pattern = fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('')}`)
    const rule = fc.record({ allow: fc.boolean(), pattern })
    const path = fc
      .array(fc.constantFrom('/', 'a', 'b', '%41', '%C3%A9', '?', '$'), { maxLength: 6 })
      .map((parts) => `/${parts.join('')}`)

    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), path, (rules, asked) => {
        const lines = rules.map(({ allow, pattern: written }) => `${allow ? 'Allow' : 'Disallow'}: ${written}`)
        const robots = parseRobots(['User-agent: *', ...lines].join('\n'))
        const kept = keptText(robots, AGENT)
        const deciding = firstOf(robots, ORIGIN + asked)

        for (const found of [decidingRuleIn(kept, ORIGIN + asked), decidingRule(parseRobots(kept), AGENT, ORIGIN + asked)]) {
          expect(found?.allow).toBe(deciding?.allow)
          expect(found?.pattern.length).toBe(deciding?.pattern.length)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
