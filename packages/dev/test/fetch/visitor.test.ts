// Pages one after another, by the policies of a crawl: on virtual time, against a simulated web.
import { definePlugin, type CrawlConfig } from '@avocet/core'
import { failure, type Fetcher } from '@avocet/core/store'
import type { Explanation } from '@avocet/core/tools'
import { polite } from '@avocet/preset-polite'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { Visitor, type Visit } from '../../src/fetch/visitor.ts'

const NEW_YEAR = 1_767_225_600_000
const MODEL = siteModel({ seed: 'visits', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 3 } }] })
const [SHOP = ''] = MODEL.seeds()

interface Visited {
  readonly visits: readonly Visit[]
  readonly waited: Explanation['holds']
  /** Ms since the beginning at which each visit was over. */
  readonly at: readonly number[]
}

/** Visits `urls`, one after another. */
async function visited(urls: readonly string[], config: Partial<CrawlConfig>, patienceMs = 30_000): Promise<Visited> {
  const clock = new VirtualClock()
  const spider = { name: 'none', seeds: [SHOP], handlers: { start: () => [] } }
  const waited: Explanation['holds'][number][] = []
  const visitor = new Visitor({
    config: { policies: [], spider, clock, fetcher: simulatedWeb(MODEL, { clock }), ...config },
    clock,
    patienceMs,
    waits: (hold) => void waited.push(hold),
  })
  const visits: Visit[] = []
  await clock.run(async () => {
    for (const url of urls) visits.push(await visitor.visit(url))
  })
  await visitor.close()
  return { visits, waited, at: visits.map(({ now }) => Math.round(now - NEW_YEAR)) }
}

describe('a visitor', () => {
  it('asks a host for its second page in its turn, and for its robots.txt once', async () => {
    const { visits, at } = await visited([SHOP, SHOP], { policies: polite() })

    expect(visits.map(({ outcome }) => outcome.kind)).toEqual(['page', 'page'])
    expect(visits.map(({ hops }) => hops.map(({ required }) => required))).toEqual([[true, false], [false]])
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(450)
  })

  it('is done with a page that rules of the configuration would visit again', async () => {
    const { visits, at } = await visited([SHOP], { recrawl: [{ everyMs: 3_600_000 }], maxTimeMs: 7_200_000 })

    expect(visits.map(({ outcome }) => outcome.kind)).toEqual(['page'])
    expect(at[0]).toBeLessThan(60_000)
  })

  it('asks a fetcher that is a class, too, how much of its browser is in use', async () => {
    let looks = 0
    class OwnFetcher implements Fetcher {
      get rendering(): NonNullable<Fetcher['rendering']> {
        looks++
        return { fullAt: undefined, wants: () => false }
      }
      fetch(_outbound: unknown, receiver: Parameters<Fetcher['fetch']>[1]): () => void {
        queueMicrotask(() => receiver.failed(failure('AVO_CONNECT_REFUSED', 'refused', { phase: 'connect', sent: false })))
        return () => {}
      }
      async close(): Promise<void> {}
    }
    const { visits } = await visited([SHOP], { fetcher: new OwnFetcher() })

    expect(visits.map(({ outcome }) => outcome.kind)).toEqual(['failed'])
    expect(looks).toBeGreaterThan(0)
  })

  it('says what it waits for, who wants it and why', async () => {
    const everyTenSeconds = definePlugin({
      name: 'every-ten-seconds',
      policy: 'rate',
      admit(ask) {
        if (ask.host.lastStartAt > 0) ask.notBefore(ask.host.lastStartAt + 10_000, 'ten seconds')
      },
    })

    const { waited, at } = await visited([SHOP, SHOP], { plugins: [everyTenSeconds] })

    expect(waited).toEqual([{ by: 'every-ten-seconds', why: 'ten seconds', until: NEW_YEAR + 10_000 }])
    expect(at[1]).toBeGreaterThanOrEqual(10_000)
  })

  it('does not wait for a host that is closed, though a crawl would', async () => {
    const hosts = { '*': { between: ['20:00', '08:00'], timeZone: 'Asia/Tokyo' } } as const
    const { visits, at } = await visited([SHOP], { hosts, policies: polite() })

    expect(visits[0]?.hops).toEqual([])
    expect(visits[0]?.outcome).toMatchObject({ kind: 'held', by: 'hours', why: 'visited from 20:00 to 08:00 Asia/Tokyo' })
    expect(at[0]).toBeLessThan(1_000)
  })

  it('does not wait beyond its patience, and says until when it would have to', async () => {
    const onceAnHour = definePlugin({
      name: 'once-an-hour',
      policy: 'rate',
      admit(ask) {
        if (ask.host.lastStartAt > 0) ask.notBefore(ask.host.lastStartAt + 3_600_000, 'an hour')
      },
    })

    const { visits, at } = await visited([SHOP, SHOP], { plugins: [onceAnHour] })

    expect(visits[1]?.outcome).toEqual({ kind: 'held', by: 'once-an-hour', why: 'an hour', until: NEW_YEAR + 3_600_000 })
    expect(at[1]).toBeLessThan(1_000)
  })

  it('names the plugin that keeps a page from being requested', async () => {
    const nothing = definePlugin({
      name: 'nothing',
      policy: 'rate',
      beforeRequest: (outgoing) => outgoing.drop('not-on-sundays'),
    })
    const refusing = definePlugin({ name: 'refusing', policy: 'rate', onDiscover: (discovery) => discovery.refuse('no') })

    const dropped = await visited([SHOP], { plugins: [nothing] })
    const refused = await visited([SHOP], { plugins: [refusing] })

    expect(dropped.visits[0]?.outcome).toEqual({ kind: 'unasked', reason: 'not-on-sundays' })
    expect(refused.visits[0]?.outcome).toEqual({ kind: 'unasked', reason: 'the crawl or a plugin refuses this URL' })
  })

  it('names the plugin that puts a page off, why and until when', async () => {
    const sundays = definePlugin({
      name: 'sundays',
      policy: 'rate',
      beforeRequest: (outgoing) => outgoing.retry(NEW_YEAR + 3_600_000, 'not-on-sundays'),
    })

    const { visits } = await visited([SHOP], { plugins: [sundays] })

    expect(visits[0]?.outcome).toEqual({ kind: 'held', by: 'sundays', why: 'not-on-sundays', until: NEW_YEAR + 3_600_000 })
  })
})
