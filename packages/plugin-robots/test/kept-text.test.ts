// What is kept of a robots.txt.
import { isAllowed, parseRobots, sitemapsOf } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { keptText, readKept } from '../src/parsed-copies.ts'

const ORIGIN = 'https://shop.example'

describe('what is kept of a robots.txt', () => {
  it('has each sitemap once, so that a repeated one leaves room for the others', () => {
    const robots = parseRobots(`${'Sitemap: /again.xml\n'.repeat(60)}Sitemap: /last.xml`)

    expect(sitemapsOf(readKept(keptText(robots, 'avocet')), ORIGIN)).toEqual([`${ORIGIN}/again.xml`, `${ORIGIN}/last.xml`])
  })

  it('decides what the file decides, also of a percent sign before an escape', () => {
    const robots = parseRobots('User-agent: *\nDisallow: /b%%41f')
    const kept = readKept(keptText(robots, 'avocet'))

    expect([robots, kept].map((each) => isAllowed(each, 'avocet', `${ORIGIN}/b%%41f/1`))).toEqual([false, false])
  })

  it('has each rule once', () => {
    const robots = parseRobots(`User-agent: *\n${'Disallow: /cart\nAllow: /cart/help\n'.repeat(1_000)}`)

    expect(keptText(robots, 'avocet')).toBe('User-agent: *\nDisallow: /cart\nAllow: /cart/help')
  })
})
