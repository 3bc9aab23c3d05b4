// A whole crawl on virtual time, with two tables, one of which is down at first.
import { crawl, spider, type Spider } from 'avocet'
import { SinkDown, type Sink } from '@avocet/core/sink'
import { postgres } from '@avocet/sink-postgres'
import { quotes, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { missing, serverOfTests } from './server.ts'

const server = serverOfTests()

interface Quote {
  readonly text: string
  readonly author: string
}

const quotesSpider: Spider<Quote> = spider({
  name: 'quotes',
  seeds: ['http://quotes.test/'],
  handlers: {
    *start(page) {
      for (const element of page.$('.quote')) {
        const quote = page.$(element)
        yield { text: quote.find('.text').text(), author: quote.find('.author').text() }
      }
      yield* page.links('.next a')
    },
  },
})

/** The sink, unreachable for the first `downMs` of the crawl. */
function downFor(downMs: number, clock: VirtualClock, sink: Sink<Quote>): Sink<Quote> {
  const until = clock.now() + downMs
  return {
    ...sink,
    async write(batch) {
      if (clock.now() < until) throw new SinkDown('connection refused')
      return sink.write(batch)
    },
  }
}

describe.skipIf(missing !== undefined)(`a crawl with tables of PostgreSQL ${missing ?? ''}`, () => {
  it('has every item in each of them, by its filter, also if one is down for 20 s', async () => {
    const clock = new VirtualClock()
    const model = quotes()
    const expected = model.expected.quotes()
    const authors = postgres<Quote>({
      url: server.url,
      table: 'authors',
      filter: ({ value }) => value.author === expected[0]?.author,
    })
    const all = downFor(20_000, clock, postgres<Quote>({ url: server.url, table: 'all', columns: { text: 'text', at: '@url' } }))

    const run = crawl({
      spider: quotesSpider,
      policies: [],
      randomSeed: 'a',
      clock,
      fetcher: simulatedWeb(model, { clock }),
      sinks: [authors, all],
    })
    const report = await clock.run(() => run.run())

    const texts = await server.client.query<{ text: string; at: string }>('SELECT * FROM "all"')
    const ofOne = await server.client.query<{ text: string }>('SELECT text FROM authors')
    expect(report.ended).toBe('done')
    expect(texts.rows.map(({ text }) => text)).toEqual(expected.map(({ text }) => text))
    expect(texts.rows[0]?.at).toBe('http://quotes.test/')
    expect(ofOne.rows.map(({ text }) => text)).toEqual(
      expected.filter(({ author }) => author === expected[0]?.author).map(({ text }) => text),
    )
  })
})
