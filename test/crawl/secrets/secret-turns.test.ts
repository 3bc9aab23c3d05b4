// Which of many pages are asked for a secret in a run: those that were asked in vain in earlier runs let the others go first.
import { describe, expect, it } from 'vitest'
import { pathSpider, type Ran } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'
import { emptyStore, handlers, page, ran, sentUrls, SHOP, site, type Store } from '../sessions/session-shop.ts'

/** A site of `count` lists, each with a page that needs a secret; `gives`: the list that hands it out now. */
function shopOf(count: number): {
  readonly found: () => Promise<Store>
  readonly resumed: (store: Store, gives?: number) => Promise<Ran>
} {
  const lists = Array.from({ length: count }, (_, n) => `/l${n}`)
  const spider = pathSpider([], { seeds: lists.map((list) => SHOP + list), scope: { within: 'any' }, handlers })
  return {
    found: async () => {
      const store = emptyStore()
      const script = site(Object.fromEntries(lists.map((list, n) => [list, page(`/p${n}?sid=old`)])))
      await ran(store, script, { spider, maxPages: count, concurrency: 1 })
      return store
    },
    resumed: (store, gives) => {
      const answers = lists.map((list, n) => [list, n === gives ? page(`/p${n}?sid=new`) : page('/login')] as const)
      const pages = lists.map((_, n) => [`/p${n}?sid=new`, {}] as const)
      return ran(store, site(Object.fromEntries<Answer>([...answers, ...pages, ['/login', {}]])), { spider })
    },
  }
}

describe('pages that were requested for a secret in vain', () => {
  it('let the others go first in the next run, whose value is for all', async () => {
    const { found, resumed } = shopOf(6)
    const store = await found()
    const second = await resumed(store, 5)
    const third = await resumed(store, 5)

    expect(sentUrls(second)).toEqual(['/l0', '/l1', '/l2', '/l3', '/l4'])
    expect(sentUrls(third)[0]).toBe('/l5')
    expect(third.report.counts).toMatchObject({ failed: 0, waiting: 0 })
  })

  it('fail what waits for them only once the others had their turn', async () => {
    const { found, resumed } = shopOf(3)
    const second = await resumed(await found(), 2)

    expect(sentUrls(second).slice(0, 3)).toEqual(['/l0', '/l1', '/l2'])
    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 6 })
  })

  it('come in turns: each of twelve is asked within three runs', async () => {
    const { found, resumed } = shopOf(12)
    const store = await found()
    const runs = [await resumed(store), await resumed(store), await resumed(store)].map(sentUrls)

    expect(runs.map((sent) => sent.length)).toEqual([5, 5, 5])
    expect(new Set(runs.flat()).size).toBe(12)
  })

  it('are asked again where there are no others, the one that was asked longest ago first', async () => {
    const { found, resumed } = shopOf(6)
    const store = await found()
    await resumed(store)
    const third = await resumed(store)
    const fourth = await resumed(store)

    expect(sentUrls(third)).toEqual(['/l5', '/l0', '/l1', '/l2', '/l3'])
    expect(sentUrls(fourth)[0]).toBe('/l4')
  })

  it('are no such pages any more once one of them led to the value', async () => {
    const store = emptyStore()
    const to = (location: string): Answer => ({ status: 302, headers: { location } })
    const script = (sid: string) =>
      site({
        '/': to('/start'),
        '/start': page(`/a?sid=${sid}`),
        [`/a?sid=${sid}`]: page(`/b?sid=${sid}`),
        [`/b?sid=${sid}`]: {},
      })
    await ran(store, site({ '/': page('/a?sid=old') }), { maxPages: 1 })
    await ran(store, site({ '/': page('/login') }))
    await ran(store, script('new'), { maxPages: 1 })
    const startedAt = store.clock.now()
    const fourth = await ran(store, script('newer'))

    expect(sentUrls(fourth)).toEqual(['/', '/start', '/b?sid=newer'])
    expect((fourth.seen[0]?.at ?? 0) - startedAt).toBeLessThan(1_000)
  })
})
