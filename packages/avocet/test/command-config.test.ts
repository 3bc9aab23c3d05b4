// What only the command does is refused by `crawl()`, with what to write instead.
import { crawl, spider, type CommandConfig, type RunnableConfig } from 'avocet'
import { describe, expect, it } from 'vitest'

const config: RunnableConfig = { policies: [], spider: spider({ name: 'x', seeds: [], handlers: { start: () => [] } }) }

describe('crawl()', () => {
  it.each<[Pick<CommandConfig, 'sitemaps' | 'metrics'>, string]>([
    [
      { sitemaps: true },
      'expected sitemaps in the configuration of the avocet command, got it in crawl(); add plugins: [sitemaps()]',
    ],
    [
      { metrics: 9464 },
      'expected metrics in the configuration of the avocet command, got it in crawl(); serve them with @avocet/metrics',
    ],
  ])('takes no option of the command: %j', (own, message) => {
    expect(() => crawl({ ...config, ...own })).toThrow(message)
  })
})
