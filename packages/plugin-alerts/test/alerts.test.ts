// Alerts of whole crawls on virtual time: what they say, over restarts and kills, with targets that are down.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AvocetError, crawl, definePlugin, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Plugin } from 'avocet'
import { systemClock, type Clock, type Frontier } from '@avocet/core/store'
import { sink } from '@avocet/core/sink'
import { sqlite } from '@avocet/plugin-sqlite'
import { alerts, type Alert, type AlertOptions } from '@avocet/plugin-alerts'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { afterEach, describe, expect, it } from 'vitest'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** A folder for the files of a test. */
function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
  folders.push(folder)
  return folder
}

const model = siteModel({ seed: 'alerts', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 2 } }] })
const looks = spider({ name: 'prices', seeds: model.seeds(), handlers: { start: (page) => page.links('a') } })

/** A plugin that does not trust a host from one minute to another, as it found with the pages of then. */
function doubts(clock: Clock, spans: readonly (readonly [number, number])[]): Plugin {
  const beganAt = clock.now()
  return definePlugin({
    name: 'doubts',
    outsideEffects: false,
    hostMemory: () => ({ isBad: false }),
    onResponse({ now }, host) {
      const minute = (now - beganAt) / MINUTE_MS
      host.isBad = spans.some(([from, to]) => minute >= from && minute < to)
    },
    findings: {
      parts: ['doubts'],
      broken({ hostKey, memory }) {
        const isBad = memory['doubts']?.includes('true') === true
        return isBad ? [{ hostKey, items: 0, barren: 0, why: 'its prices are all 0' }] : []
      },
    },
  })
}

type Take = (alert: Alert) => void

interface Told {
  /** `minute state rule subjects`, as a target got them. */
  readonly told: string[]
  readonly take: Take
  readonly plugin: Plugin
}

/** Alerts to a list. `isDown`: whether the target fails then, by the minute. */
function listening(
  clock: VirtualClock,
  options: Partial<AlertOptions> = {},
  isDown: (minute: number) => boolean = () => false,
): Told {
  const beganAt = clock.now()
  const told: string[] = []
  const take: Take = (alert) => {
    const minute = (clock.now() - beganAt) / MINUTE_MS
    if (isDown(minute)) throw new Error('the chat is closed')
    told.push(`${Math.floor(minute)} ${alert.state} ${alert.rule} ${alert.subjects.join(' ')}`.trim())
  }
  return { told, take, plugin: alerts({ to: [take], ...options }) }
}

/** A crawl that visits two pages every five minutes. */
function crawlOf(clock: Clock, minutes: number, config: Partial<CrawlConfig>): Promise<CrawlReport> {
  const recrawl = [{ everyMs: 5 * MINUTE_MS }]
  const parts = { spider: looks, randomSeed: 'a', policies: [], clock, fetcher: simulatedWeb(model, { clock }), recrawl }
  return crawl({ ...parts, maxTimeMs: minutes * MINUTE_MS, ...config }).run()
}

function watching(clock: Clock, minutes: number, config: Partial<CrawlConfig>): Promise<CrawlReport> {
  const work = (): Promise<CrawlReport> => crawlOf(clock, minutes, config)
  return clock instanceof VirtualClock ? clock.run(work) : work()
}

describe('a crawl with alerts', () => {
  it('tells of a host that another plugin does not trust when it begins, and when it has ended', async () => {
    const clock = new VirtualClock()
    const { told, plugin } = listening(clock)

    const report = await watching(clock, 240, { plugins: [plugin, doubts(clock, [[30, 90]])] })

    expect(told).toEqual(['30 begun broken shop.test', '100 ended broken shop.test'])
    expect(report.problems).toEqual([])
    expect(clock.scheduled).toBe(0)
  })

  it('goes on over a restart', async () => {
    const clock = new VirtualClock()
    const { told, plugin } = listening(clock)
    const frontier = memoryFrontier()
    const plugins = [plugin, doubts(clock, [[30, 90]])]

    await watching(clock, 45, { plugins, frontier })
    await frontier.close()
    await watching(clock, 120, { plugins, frontier })

    expect(told).toEqual(['30 begun broken shop.test', '100 ended broken shop.test'])
  })

  it('is killed while nothing is committed: what was sent is not sent again, and what waits is', async () => {
    const clock = new VirtualClock()
    const [before, after] = [join(scratch(), 'a.db'), join(scratch(), 'b.db')]
    const distrust = doubts(clock, [[30, 90]])
    const chat = listening(clock)
    const late = listening(clock, {}, (minute) => minute < 60)
    const plugin = alerts({ to: [chat.take, late.take] })
    // The process is gone at minute 34: all that there is from then on is its files.
    clock.at(clock.now() + 34 * MINUTE_MS, () => {
      for (const end of ['', '-wal']) if (existsSync(before + end)) copyFileSync(before + end, after + end)
    })
    await watching(clock, 40, { plugins: [plugin, distrust], frontier: sqlite(before) })
    expect(chat.told).toEqual(['30 begun broken shop.test'])

    await watching(clock, 120, { plugins: [plugin, distrust], frontier: sqlite(after) })

    expect(chat.told).toEqual(['30 begun broken shop.test', '100 ended broken shop.test'])
    expect(late.told.map((line) => line.replace(/^\d+ /, ''))).toEqual(['begun broken shop.test', 'ended broken shop.test'])
  })

  it('is told of within 15 minutes by a target that is up again, of which one line tells', async () => {
    const clock = new VirtualClock()
    const { told, plugin } = listening(clock, {}, (minute) => minute < 150)

    const report = await watching(clock, 240, { plugins: [plugin, doubts(clock, [[30, 90]])] })

    expect(told.map((line) => line.replace(/^\d+ /, ''))).toEqual(['begun broken shop.test', 'ended broken shop.test'])
    expect(told.every((line) => Number.parseInt(line) < 165)).toBe(true)
    const kept = 'alerts: function took no message, which is kept and sent again: the chat is closed'
    expect(report.problems).toEqual([{ message: kept, count: 1 }])
    expect(report.counts.done).toBe(2)
  })

  it('is not held up by a target that never answers', async () => {
    const clock = systemClock({ scale: 1_200 })
    const never = alerts({ to: [() => new Promise<void>(() => undefined)] })

    const plugins = [never, doubts(clock, [[0, 20]])]
    const report = await watching(clock, 20, { plugins })

    expect(report).toMatchObject({ ended: 'limit', counts: { done: 2 } })
    expect(report.run.pages).toBeGreaterThan(3)
  })

  it('tells of a host that is given up, and when it is back', async () => {
    const clock = new VirtualClock()
    const beganAt = clock.now()
    const { told, plugin } = listening(clock, { rules: { lateRatio: false } })
    const isDead = (): boolean => clock.now() - beganAt > HOUR_MS && clock.now() - beganAt < 2 * HOUR_MS
    const gives = definePlugin({ name: 'gives-up', admit: (ask) => (isDead() ? ask.giveUp('it is dead') : undefined) })

    await watching(clock, 30 * 60, { plugins: [plugin, gives] })

    expect(told.map((line) => line.replace(/^\d+ /, ''))).toEqual(['begun givenUp shop.test', 'ended givenUp shop.test'])
  })

  it('tells of refusals of hosts and of all, by share', async () => {
    const clock = new VirtualClock()
    const { told, plugin } = listening(clock, { rules: { lateRatio: false } })
    const pages = { kind: 'list', pages: 100 } as const
    const hosts = [
      { name: 'a.test', pages, refuseRatio: 0.6 },
      { name: 'b.test', pages, refuseRatio: 0.1 },
      { name: 'c.test', pages, refuseRatio: 0.6 },
    ]
    const web = siteModel({ seed: 'refusals', hosts })
    const plugins = [plugin, delayed()]
    const walks = spider({ name: 'walks', seeds: web.seeds(), handlers: { start: (page) => page.links('a') } })

    await watching(clock, 30, { spider: walks, fetcher: simulatedWeb(web, { clock }), plugins })

    expect(told.map((line) => line.replace(/^\d+ /, '')).toSorted()).toEqual([
      'begun refusedRatio',
      'begun refusedRatio a.test c.test',
    ])
  })

  it('does not call the pages of a shop late that are all gone, and visited rarely', async () => {
    const clock = new VirtualClock()
    const { told, plugin } = listening(clock)
    const closed = { name: 'shop.test', pages: { kind: 'list', pages: 2 }, missing: [{ fromMs: HOUR_MS }] } as const
    const web = siteModel({ seed: 'alerts', hosts: [closed] })

    await watching(clock, 3 * 24 * 60, { fetcher: simulatedWeb(web, { clock }), plugins: [plugin] })

    expect(told.filter((line) => line.includes('lateRatio'))).toEqual([])
  })

  it('tells of late pages once', async () => {
    const clock = new VirtualClock()
    const beganAt = clock.now()
    const { told, plugin } = listening(clock)
    const holds = definePlugin({
      name: 'holds',
      admit(ask) {
        if (clock.now() > beganAt + 60 * MINUTE_MS) ask.notBefore(beganAt + 120 * MINUTE_MS, 'on purpose')
      },
    })

    await watching(clock, 180, { plugins: [plugin, holds] })

    expect(told).toEqual(['65 begun lateRatio', '135 ended lateRatio'])
  })

  it('tells of a run that failed at its end, and that the next one does not', async () => {
    const clock = new VirtualClock()
    const { told, plugin } = listening(clock, { rules: { lateRatio: false } })
    const frontier = memoryFrontier()
    const grows = definePlugin({
      name: 'grows',
      crawlMemory: () => ({ text: '' }),
      onResponse(_, _host, crawl) {
        crawl.text = 'x'.repeat(70_000)
      },
    })

    const report = await watching(clock, 20, { plugins: [plugin, grows], frontier })
    await frontier.close()
    await watching(clock, 40, { plugins: [plugin], frontier })

    expect(report.ended).toBe('failed')
    expect(told).toEqual(['0 begun failed', '10 ended failed'])
  })

  it('tells of a sink that fails for a quarter of an hour, and when it works again', async () => {
    const clock = new VirtualClock()
    const beganAt = clock.now()
    const { told, plugin } = listening(clock, { rules: { lateRatio: false } })
    const isDown = (): boolean => clock.now() < beganAt + 60 * MINUTE_MS
    const table = sink<string>(() => (isDown() ? Promise.reject(new Error('the table is locked')) : Promise.resolve()), {
      name: 'table',
    })
    const items = spider({ ...looks, handlers: { start: () => [{ price: 4.5 }] } })

    await watching(clock, 120, { spider: items, plugins: [plugin], sinks: [table] })

    expect(told).toEqual(['15 begun sinkFailsMs table', '71 ended sinkFailsMs table'])
  })

  it('sends each message once where two processes crawl one store, also after the one that sent is gone', async () => {
    const clock = new VirtualClock()
    const path = join(scratch(), 'shared.db')
    const [one, other] = [listening(clock, { rules: { lateRatio: false } }), listening(clock, { rules: { lateRatio: false } })]
    const distrust = doubts(clock, [[10, 50]])
    const crawls = (): Promise<CrawlReport>[] =>
      [one, other].map(({ plugin }, n) => {
        const [plugins, frontier] = [[plugin, distrust], sqlite(path)]
        return crawlOf(clock, n === 0 ? 30 : 100, { plugins, frontier }).finally(() => void frontier.close())
      })

    await clock.run(() => Promise.all(crawls()))

    expect([one.told, other.told]).toEqual([['10 begun broken shop.test'], ['60 ended broken shop.test']])
  })

  it('tells of a store that cannot be used while it cannot, and requests the heartbeat while all is well', async () => {
    const clock = new VirtualClock()
    const beganAt = clock.now()
    const beats: number[] = []
    const server = createServer((_, response) => {
      beats.push(Math.floor((clock.now() - beganAt) / MINUTE_MS))
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { told, plugin } = listening(clock, { heartbeat: `http://127.0.0.1:${port}/ping/1`, rules: { lateRatio: false } })
    const isFull = (): boolean => clock.now() > beganAt + 10 * MINUTE_MS && clock.now() < beganAt + 20 * MINUTE_MS
    const full = (): never => {
      throw new AvocetError('AVO_FRONTIER_FULL', 'the disk is full')
    }
    const store = memoryFrontier()
    const frontier: Frontier = { ...store, commit: async (...units) => (isFull() ? full() : store.commit(...units)) }

    await watching(clock, 45, { plugins: [plugin], frontier })
    server.close()

    expect(told).toEqual(['10 begun paused', '30 ended paused'])
    expect(beats.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(beats.filter((minute) => minute > 11 && minute < 20)).toEqual([])
    expect(beats.at(-1)).toBe(45)
  })
})

function delayed(): Plugin {
  return definePlugin({ name: 'delayed', admit: (ask) => ask.notBefore(ask.delayFrom + 2_000, 'slowly') })
}
