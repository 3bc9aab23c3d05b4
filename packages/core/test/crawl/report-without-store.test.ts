// A store that is lost before the report is written: its totals are as of the last commit, and say so.
import { AvocetError, crawl, memoryFrontier, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'

it('a report says that its totals are not those of the store where that could not be read at the end', async () => {
  const clock = new VirtualClock()
  const hosts = [{ name: 'shop.test', pages: { kind: 'list' as const, pages: 6 } }]
  const web = simulatedWeb(siteModel({ seed: 'lost', hosts }), { clock })
  const all = spider({ name: 'all', seeds: ['http://shop.test/'], handlers: { start: (page) => page.links() } })
  const reports = []
  for (const isLost of [false, true]) {
    const frontier = memoryFrontier()
    const counts = (): ReturnType<typeof frontier.reader.counts> =>
      isLost ? Promise.reject(new AvocetError('AVO_FRONTIER_MISSING', 'the store is gone')) : frontier.reader.counts()
    const config = { spider: all, policies: [], clock, fetcher: web, randomSeed: 'a' }
    reports.push(
      await clock.run(() => crawl({ ...config, frontier: { ...frontier, reader: { ...frontier.reader, counts } } }).run()),
    )
    await frontier.close()
  }
  const [whole, lost] = reports

  expect(whole).not.toHaveProperty('withoutStore')
  expect(lost).toMatchObject({ withoutStore: true, ended: 'failed', counts: { done: whole?.counts.done, hosts: 0 } })
})
