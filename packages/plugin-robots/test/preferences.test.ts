// What a site says about the use of its content is kept as it is written, reported, and decides nothing.
import { atRest } from '@avocet/at-rest'
import { isAllowed, parseRobots, preferencesOf, robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'

const FILE = `
Content-Signal: search=yes
User-agent: *
content-signal : search=yes, ai-train=no  # as of 2026
Content-Usage: /news train-ai=n
Disallow: /cart

User-agent: GPTBot
User-agent: price-watch
Content-Signal: search=no
Disallow: /
`

describe('preferences in robots.txt', () => {
  it('are those of our group, and those outside of groups', () => {
    expect(preferencesOf(parseRobots(FILE), 'avocet')).toEqual([
      'Content-Signal: search=yes',
      'Content-Signal: search=yes, ai-train=no',
      'Content-Usage: /news train-ai=n',
    ])
    expect(preferencesOf(parseRobots(FILE), 'price-watch')).toEqual(['Content-Signal: search=yes', 'Content-Signal: search=no'])
  })

  it('are licenses wherever they are written, for all crawlers', () => {
    const read = parseRobots('License: https://a.test/1.xml\nUser-agent: gptbot\nDisallow: /\nlicense: https://a.test/2.xml')

    expect(preferencesOf(read, 'avocet')).toEqual(['License: https://a.test/1.xml', 'License: https://a.test/2.xml'])
    expect(read.ignoredLines).toBe(0)
  })

  it('change no rule, end no group, and do not count as lines without a meaning', () => {
    const robots = parseRobots('User-agent: a\nContent-Signal: ai-train=no\nUser-agent: b\nDisallow: /x')

    expect(['a', 'b'].map((agent) => isAllowed(robots, agent, 'https://shop.example/x'))).toEqual([false, false])
    expect(robots.ignoredLines).toBe(0)
  })

  it('are few and short, whatever the site sends', () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => `Content-Signal: ${n}${'x'.repeat(500)}`)
    const kept = preferencesOf(parseRobots(['User-agent: *', ...lines].join('\n')), 'avocet')

    expect(kept).toHaveLength(8)
    expect(Math.max(...kept.map(({ length }) => length))).toBe(160)
  })

  it.each(['Content-Signal:', 'Content-Signalling: x=y', 'My-Content-Usage: x'])('are not made of %j', (line) => {
    expect(preferencesOf(parseRobots(`User-agent: *\n${line}`), 'avocet')).toEqual([])
  })
})

describe('a crawl', () => {
  it('records them with those in header fields, each once, and requests the pages all the same', async () => {
    const page: Answer = {
      body: 'ok',
      headers: {
        'content-usage': 'train-ai=n',
        'content-signal': ['search=yes', 'ai-train=no'],
        'tdm-reservation': '1',
        'tdm-policy': 'https://shop.test/tdm',
      },
    }
    const script = { 'http://shop.test/a': page, 'http://shop.test/b': page, 'http://shop.test/robots.txt': { body: FILE } }

    const { asked, frontier } = await run(script, { spider: pathSpider(Object.keys(script).slice(0, 2)), plugins: [robots()] })

    expect(asked).toHaveLength(3)
    const record = (await frontier.reader.hosts({ hostKey: 'shop.test' }))[0] ?? expect.fail('expected a host')
    const crawl = await atRest(frontier.reader)
    expect(crawl.explain(record, { plugins: [robots()], now: 0 }).values['robots']).toMatchObject({
      'http://shop.test': {
        preferences: ['Content-Signal: search=yes', 'Content-Signal: search=yes, ai-train=no', 'Content-Usage: /news train-ai=n'],
      },
      declared: [
        'Content-Usage: train-ai=n',
        'Content-Signal: search=yes, ai-train=no',
        'TDM-Reservation: 1',
        'TDM-Policy: https://shop.test/tdm',
      ],
    })
  })

  it('records the price of a 402 once, whatever each page costs, and pays none', async () => {
    const priced = (price: string): Answer => ({ status: 402, headers: { 'crawler-price': price } })
    const free: Answer = { body: 'ok', headers: { 'crawler-price': 'USD 9' } }
    const pages = { 'http://shop.test/a': priced('USD 0.01'), 'http://shop.test/b': priced('USD 0.02') }
    const script = { 'http://shop.test/free': free, ...pages }

    const { seen, report, frontier } = await run(script, { spider: pathSpider(Object.keys(script)), plugins: [robots()] })

    expect(seen).toHaveLength(4)
    expect(seen.flatMap(({ outbound }) => Object.keys(outbound.headers)).filter((name) => /price|payment/.test(name))).toEqual([])
    expect(report.counts).toMatchObject({ done: 1, failed: 2 })
    const record = (await frontier.reader.hosts({ hostKey: 'shop.test' }))[0] ?? expect.fail('expected a host')
    const crawl = await atRest(frontier.reader)
    expect(crawl.explain(record, { plugins: [robots()], now: 0 }).values['robots']).toMatchObject({
      declared: ['Crawler-Price: USD 0.01'],
    })
  })
})
