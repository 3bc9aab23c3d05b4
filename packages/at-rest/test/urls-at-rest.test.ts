// What a store says of a URL that a person types: its requests, and why the scope of the last run has none.
import { crawl, memoryFrontier } from 'avocet'
import { atRest, type CrawlAtRest } from '@avocet/at-rest'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'

const MODEL = siteModel({ seed: 'typed', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 2 } }] })
const [SHOP = ''] = MODEL.seeds()

/** A crawl of one page, whose URL has a secret. */
async function crawled(): Promise<CrawlAtRest> {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const spider = { name: 'typed', seeds: [`${SHOP}?token=s3cret&a=1`], scope: { maxDepth: 3 }, handlers: { start: () => [] } }
  const run = crawl({
    spider,
    frontier,
    clock,
    fetcher: simulatedWeb(MODEL, { clock }),
    secretParameters: ['token'],
    policies: [],
  })
  await clock.run(() => run.run())
  return atRest(frontier.reader)
}

it('finds a URL with parameters that the crawl drops, and with a secret that the store does not have', async () => {
  const store = await crawled()

  const found = await store.requestsOf(`${SHOP}?utm_source=mail&token=other&a=1`)

  expect(found).toMatchObject({ url: `${SHOP}?token=__secret__&a=1`, requests: [{ handler: 'start' }] })
  expect(await store.requestsOf(`${SHOP}none?key=7`, ['key'])).toEqual({ url: `${SHOP}none?key=__secret__`, requests: [] })
})

it('names the rule of the last run that refuses a URL, and how deep it went', async () => {
  const store = await crawled()

  expect(store.refusal('http://other.test/', 'other.test')).toBe('off-host')
  expect(store.refusal(`${SHOP}other`, 'shop.test')).toBeUndefined()
  expect(store.maxDepth).toBe(3)
})
