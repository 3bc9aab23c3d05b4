// A whole crawl on virtual time: the receiver is down at first, asks for patience, and cannot stand one of the items.
import { crawl, spider, type Spider } from 'avocet'
import { webhook } from '@avocet/sink-webhook'
import { quotes, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { startReceiver } from './receiver.ts'

const quotesSpider: Spider<{ readonly text: string }> = spider({
  name: 'quotes',
  seeds: ['http://quotes.test/'],
  handlers: {
    *start(page) {
      for (const element of page.$('.quote')) yield { text: page.$(element).find('.text').text() }
      yield* page.links('.next a')
    },
  },
})

describe('a crawl with a webhook', () => {
  it('posts every item, asks no sooner than it may, and sets aside the one that fails alone', async () => {
    const clock = new VirtualClock()
    const beganAt = clock.now()
    const model = quotes()
    const expected = model.expected.quotes().map(({ text }) => text)
    const poison = expected[41] ?? ''
    const got = new Set<string>()
    const refusedAt: number[] = []
    await using receiver = await startReceiver(({ body }, response) => {
      const texts = JSON.parse(body) as { text: string }[]
      if (refusedAt.length < 2) {
        refusedAt.push(clock.now() - beganAt)
        return response.writeHead(503, { 'retry-after': '5' }).end()
      }
      if (texts.some(({ text }) => text === poison)) return response.writeHead(422).end('no such quote')
      for (const { text } of texts) got.add(text)
      return response.end()
    })

    const sink = webhook<{ readonly text: string }>({ url: receiver.url, body: 'array' })
    const fetcher = simulatedWeb(model, { clock })
    const run = crawl({ spider: quotesSpider, policies: [], randomSeed: 'a', clock, fetcher, sinks: [sink], drainMs: 600_000 })
    const report = await clock.run(() => run.run())

    expect([...got].sort()).toEqual(expected.filter((text) => text !== poison).sort())
    expect((refusedAt[1] ?? 0) - (refusedAt[0] ?? 0)).toBeGreaterThanOrEqual(5_000)
    expect(receiver.heads()).toBe(1)
    expect(report).toMatchObject({ ended: 'done', sinks: [{ written: 99, behind: 0, setAside: 1 }] })
  })
})
