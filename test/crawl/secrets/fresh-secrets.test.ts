// A resumed crawl knows no value that a page handed out in an earlier run: what needs one fails, and each run tries it anew.
import { describe, expect, it } from 'vitest'
import { pathSpider } from '../harness.ts'
import { emptyStore, handlers, links, page, pages, ran, sentUrls, SHOP, site } from '../sessions/session-shop.ts'

describe('a crawl that goes on without the secret of its waiting pages', () => {
  it('fails them unsent, and tries them again in each run', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const second = await ran(store, site({}))
    const third = await ran(store, site({}))

    expect([...sentUrls(second), ...sentUrls(third)]).toEqual([])
    expect(second.report.failures).toEqual([{ reason: 'secret-unknown', count: 40 }])
    expect(third.report.run.failed).toBe(40)
  })

  it('sends them where the page that hands it out is visited first in each run', async () => {
    const store = emptyStore()
    const spider = pathSpider([], { seeds: [{ url: `${SHOP}/`, again: true, priority: 1 }], scope: { within: 'any' }, handlers })
    await ran(store, site({ '/': page(...links('old')) }), { spider, maxPages: 1 })
    const second = await ran(store, site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {} }), {
      spider,
      concurrency: 1,
    })

    expect(sentUrls(second).toSorted()).toEqual(['/', ...links('new'), '/?sid=new'].toSorted())
    expect(second.report.counts).toMatchObject({ done: 42, failed: 0 })
  })

  it('sends the value that a seed gives', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1 })
    const spider = pathSpider([], { seeds: [`${SHOP}/?sid=mine`], handlers })
    const second = await ran(store, site({ ...pages('mine'), '/?sid=mine': {} }), { spider })

    expect(second.report.counts.failed).toBe(0)
  })
})
