// What is kept of a robots.txt.
import { crawlDelayMs, isAllowed, parseRobots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { decidingRuleIn, keptText, sitemapsIn } from '../src/kept-text.ts'

const ORIGIN = 'https://shop.example'

describe('what is kept of a robots.txt', () => {
  it('has each sitemap once, so that a repeated one leaves room for the others', () => {
    const robots = parseRobots(`${'Sitemap: /again.xml\n'.repeat(60)}Sitemap: /last.xml`)

    expect(sitemapsIn(keptText(robots, 'avocet'), ORIGIN)).toEqual([`${ORIGIN}/again.xml`, `${ORIGIN}/last.xml`])
  })

  it('decides what the file decides, also of a percent sign before an escape', () => {
    const robots = parseRobots('User-agent: *\nDisallow: /b%%41f')
    const kept = parseRobots(keptText(robots, 'avocet'))

    expect([robots, kept].map((each) => isAllowed(each, 'avocet', `${ORIGIN}/b%%41f/1`))).toEqual([false, false])
  })

  it('has each rule once', () => {
    const robots = parseRobots(`User-agent: *\n${'Disallow: /cart\nAllow: /cart/help\n'.repeat(1_000)}`)

    expect(keptText(robots, 'avocet')).toBe('User-agent: *\nDisallow: /cart\nAllow: /cart/help')
  })

  it('has the broadest rules where not all fit, and no half of a line', () => {
    const rules = Array.from({ length: 15_000 }, (_, n) => `Disallow: /${String(n).padStart(5, '0')}éééé`)
    const kept = keptText(parseRobots(['User-agent: *', 'Disallow: /a', ...rules].join('\n')), 'avocet')

    expect(kept.length).toBeLessThan(500 * 1_024)
    expect(kept.length).toBeGreaterThan(499 * 1_024)
    expect(kept.split('\n').at(-1)).toBe('Disallow: /a')
    expect(kept.split('\n').slice(1, -1)).toSatisfy((lines: string[]) =>
      lines.every((line) => /^Disallow: \/\d{5}(?:%C3%A9){4}$/.test(line)),
    )
  })
})

describe('a kept text of 24,000 rules', () => {
  const rules = Array.from({ length: 24_000 }, (_, n) => `Disallow: /p${n}/*x`)
  const kept = keptText(
    parseRobots(['User-agent: *', 'Disallow: /*.pdf$', ...rules, 'Allow: /p9/a', 'Sitemap: /a.xml'].join('\n')),
    'avocet',
  )

  it('decides by any of them', () => {
    const allows = (path: string): boolean => decidingRuleIn(kept, ORIGIN + path)?.allow ?? true

    expect([0, 9, 11_999, 23_999].map((n) => allows(`/p${n}/x`))).toEqual([false, false, false, false])
    expect(['/p24000/x', '/p9/a', '/page', '/p', '/a.pdf', '/p1'].map(allows)).toEqual([true, true, true, true, false, true])
  })
})

describe('rules that begin with a star', () => {
  const keptOf = (lines: readonly string[]): string => keptText(parseRobots(['User-agent: *', ...lines].join('\n')), 'avocet')

  it('are decided by, 24,000 of them, without trying each of them at each page', () => {
    const kept = keptOf(Array.from({ length: 24_000 }, (_, n) => `Disallow: /*?filter${n.toString(36)}=`))
    const pages = Array.from({ length: 1_000 }, (_, n) => `${ORIGIN}/dresses/summer-${n}?filter7=red&filter=${n}`)
    const before = process.cpuUsage()
    const allowed = pages.filter((url) => decidingRuleIn(kept, url)?.allow !== false)
    const { user, system } = process.cpuUsage(before)

    expect(allowed).toEqual([])
    // 8 s when each is tried.
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })

  it.each([
    ['/x?filter12=1', false],
    ['/x?filter1=1', false],
    ['/x?filter=1', true],
    ['/x?filter2=&filter12=', true],
    ['/aab', false],
    ['/a/print', false],
    ['/a/print/x', true],
    ['/print', true],
    ['/caba', false],
    ['/cab', true],
  ])('decide on %s: %s', (path, expected) => {
    const kept = keptOf([
      ...['Disallow: /*?filter1=', 'Disallow: /*?filter12=', 'Allow: /*?filter2=*&filter12='],
      ...['Disallow: /*ab$', 'Allow: /c*ab$', 'Disallow: /*/print$', 'Disallow: /c*ab*a', 'Disallow: /*aab'],
    ])

    expect(decidingRuleIn(kept, ORIGIN + path)?.allow ?? true).toBe(expected)
  })
})

describe('a robots.txt', () => {
  it('of 15,000 names and 15,000 delays is read in linear time', () => {
    const names = Array.from({ length: 15_000 }, (_, n) => `User-agent: a${n}\n`).join('')
    const before = process.cpuUsage()
    const robots = parseRobots(names + 'Crawl-delay: 1\n'.repeat(15_000))
    const { user, system } = process.cpuUsage(before)

    // 8 s when each delay is noted for each name.
    expect((user + system) / 1_000).toBeLessThan(1_000)
    expect(crawlDelayMs(robots, 'a14999')).toBe(1_000)
  })
})
