// What operators order of a crawl while it runs, on virtual time: by the process itself, and by another one on the same store.
import { Orders } from '@avocet/at-rest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, memoryFrontier, spider, type Crawl, type CrawlConfig, type CrawlReport, type Plugin } from 'avocet'
import { sleepUntil, type Fingerprint, type Frontier } from '@avocet/core/store'
import type { Control } from '@avocet/core/tools'
import { hiddenUrl } from '@avocet/plugin-secrets'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { html } from './runs.ts'
import { scriptedWeb } from './scripted-web.ts'
import { wideSpider, wideWeb } from './links/wide-web.ts'

const SECOND = 1_000

interface Sent {
  readonly host: string
  readonly path: string
  readonly query: string
  /** Ms since the first run began. */
  readonly at: number
}

/** Runs of one crawl one after another, on one clock, and what the servers saw of them. */
class Story {
  readonly clock = new VirtualClock()
  readonly startedAt = this.clock.now()
  readonly sent: Sent[] = []
  readonly #frontier: () => Frontier

  constructor(frontier?: (clock: VirtualClock) => Frontier) {
    const memory = memoryFrontier()
    this.#frontier = () => frontier?.(this.clock) ?? memory
  }

  /** One run of a crawl of these hosts; `meanwhile` happens beside it. */
  async run(
    config: Omit<Partial<CrawlConfig>, 'hosts'> & { readonly hosts: readonly string[]; readonly pages?: number },
    meanwhile: (run: Crawl) => Promise<void>,
  ): Promise<CrawlReport> {
    const { hosts, pages = 40, ...rest } = config
    const web = wideWeb(this.clock, () => ({ latencyMs: 400 }))
    const made = crawl({
      policies: [],
      spider: wideSpider(hosts, { pages }),
      frontier: this.#frontier(),
      randomSeed: 'controls',
      clock: this.clock,
      fetcher: {
        ...web,
        fetch: (outbound, receiver) => {
          const { hostname, pathname, search } = new URL(outbound.url)
          this.sent.push({ host: hostname, path: pathname, query: search, at: this.clock.now() - this.startedAt })
          return web.fetch(outbound, receiver)
        },
      },
      ...rest,
    })
    const [report] = await this.clock.run(Promise.all([made.run(), meanwhile(made)]))
    return report
  }

  /** Orders something while nobody crawls. */
  async order(control: Control): Promise<void> {
    const frontier = this.#frontier()
    const now = this.clock.now()
    await frontier.open({ name: '', hostKeying: 'host' }, now)
    await Orders.give(frontier, control, now, hiddenUrl)
    await frontier.close()
  }

  at(ms: number): Promise<void> {
    return sleepUntil(this.clock, this.startedAt + ms)
  }

  /** Requests between two moments. */
  between(from: number, until: number, host?: string): readonly Sent[] {
    return this.sent.filter(({ at, ...sent }) => at >= from && at < until && (host === undefined || sent.host === host))
  }
}

describe('a paused crawl', () => {
  it('begins nothing until it is resumed, and loses nothing', async () => {
    const story = new Story()

    const report = await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'pause' })
      expect(run.status()).toMatchObject({ phase: 'paused', pausedBy: 'operator' })
      await story.at(60 * SECOND)
      await run.control({ kind: 'resume' })
    })

    expect(story.between(0, 10_300).length).toBeGreaterThan(5)
    expect(story.between(10_300, 60 * SECOND)).toEqual([])
    expect(report).toMatchObject({ ended: 'done', run: { pages: 40 } })
  })

  it('is paused in the next run as well, until it is resumed there', async () => {
    const story = new Story()
    await story.run({ hosts: ['a.test'], maxTimeMs: 20 * SECOND }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'pause' })
    })

    const report = await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(100 * SECOND)
      expect(run.status()).toMatchObject({ phase: 'paused' })
      await run.control({ kind: 'resume' })
    })

    expect(story.between(10_300, 100 * SECOND)).toEqual([])
    expect(report).toMatchObject({ ended: 'done', counts: { done: 40 } })
  })

  it('is not resumed by the end of another pause', async () => {
    const story = new Story()

    await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(10_300)
      run.pause('a slow pipe')
      await run.control({ kind: 'pause' })
      run.resume()
      await story.at(20 * SECOND)
      expect(run.status().phase).toBe('paused')
      await run.control({ kind: 'resume' })
    })

    expect(story.between(10_300, 20 * SECOND)).toEqual([])
  })
})

describe('a paused crawl of which nothing is left', () => {
  it('ends: nobody waits for work that is not there', async () => {
    const story = new Story()
    await story.run({ hosts: ['a.test'], pages: 3 }, async () => {})
    await story.order({ kind: 'pause' })

    const report = await story.run({ hosts: ['a.test'], pages: 3 }, async () => {})

    expect(report).toMatchObject({ ended: 'done', counts: { done: 3 } })
  })
})

describe('an order to stop', () => {
  it('ends the run that hears it, and not the next one', async () => {
    const story = new Story()
    const first = await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'stop' })
    })

    const second = await story.run({ hosts: ['a.test'] }, async () => {})

    expect(first).toMatchObject({ ended: 'stopped' })
    expect(second).toMatchObject({ ended: 'done', counts: { done: 40 } })
  })
})

describe('given-up pages that a command retries or drops beside the run', () => {
  it('are counted in its status: settled where they were dropped, waiting where they are opened again', async () => {
    const story = new Story()
    await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(5 * SECOND)
      const before = run.status()
      await run.control({ kind: 'given-up', done: 'dropped', pages: 5, settled: 3 })
      const dropped = run.status()
      await run.control({ kind: 'given-up', done: 'retried', pages: 4, settled: -4 })
      const retried = run.status()

      expect([dropped.waiting - before.waiting, dropped.settled - before.settled]).toEqual([-3, 3])
      expect([retried.waiting - before.waiting, retried.settled - before.settled]).toEqual([1, -1])
      expect(retried.known).toBe(before.known)
    })
  })

  it.each([
    [{ kind: 'given-up', done: 'dropped', pages: 0, settled: 0 }, 'expected how many given-up pages, 1 or more, got 0'],
    [{ kind: 'given-up', done: 'dropped', pages: 1, settled: 2 }, 'at most as many as pages, got 2'],
  ] as const)('are not listed where the numbers cannot be: %j', async (change, message) => {
    const story = new Story()
    await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(SECOND)
      await expect(run.control(change)).rejects.toThrow(message)
    })
  })
})

describe('a paused host', () => {
  it('is not requested until it is resumed, and others are', async () => {
    const story = new Story()

    const report = await story.run({ hosts: ['a.test', 'b.test'] }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'pause-host', hostKey: 'a.test' })
      await story.at(20 * SECOND)
      await run.control({ kind: 'resume-host', hostKey: 'a.test' })
    })

    expect(story.between(10_300, 20 * SECOND, 'a.test')).toEqual([])
    expect(story.between(10_300, 20 * SECOND, 'b.test').length).toBeGreaterThan(5)
    expect(story.between(20 * SECOND, 23 * SECOND, 'a.test').length).toBeGreaterThan(0)
    expect(report).toMatchObject({ ended: 'done', counts: { done: 80 } })
  })

  it('is in the store with the moment of now once it is resumed, also while it is crawled: a kill does not pause it again', async () => {
    const frontier = memoryFrontier()
    const story = new Story(() => frontier)
    await story.run({ hosts: ['a.test', 'b.test'] }, async (run) => {
      await story.at(2 * SECOND)
      await run.control({ kind: 'pause-host', hostKey: 'a.test' })
      await story.at(6 * SECOND)
      const [paused] = await frontier.reader.hosts({ hostKey: 'a.test' })
      await run.control({ kind: 'resume-host', hostKey: 'a.test' })
      await story.at(8 * SECOND)
      const [resumed] = await frontier.reader.hosts({ hostKey: 'a.test' })

      expect(paused).toMatchObject({ held: false, readyAt: Infinity })
      expect(resumed).toMatchObject({ held: true })
      expect(resumed?.readyAt).toBeLessThanOrEqual(story.clock.now())
      expect(story.between(6 * SECOND, 8 * SECOND, 'a.test').length).toBeGreaterThan(0)
    })
  })

  it('keeps the crawl from ending while it is paused without an end: whoever paused it resumes it', async () => {
    const story = new Story()

    const report = await story.run({ hosts: ['a.test'], patienceMs: 1_000 }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'pause-host', hostKey: 'a.test' })
      await story.at(86_400 * SECOND)
      expect(run.status().phase).toBe('running')
      await run.control({ kind: 'resume-host', hostKey: 'a.test' })
    })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 40 } })
  })

  it('goes on by itself at the moment until which it was paused', async () => {
    const story = new Story()

    const report = await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'pause-host', hostKey: 'a.test', until: story.startedAt + 30 * SECOND })
    })

    expect(story.between(10_300, 30 * SECOND)).toEqual([])
    expect(story.between(30 * SECOND, 32 * SECOND).length).toBeGreaterThan(0)
    expect(report).toMatchObject({ ended: 'done', counts: { done: 40 } })
  })

  it('goes on at the moment of the later order, also where that is the earlier moment', async () => {
    const story = new Story()

    const report = await story.run({ hosts: ['a.test'], patienceMs: Infinity }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'pause-host', hostKey: 'a.test' })
      await story.at(600 * SECOND)
      await run.control({ kind: 'pause-host', hostKey: 'a.test', until: story.startedAt + 660 * SECOND })
    })

    expect(story.between(10_300, 660 * SECOND)).toEqual([])
    expect(story.between(660 * SECOND, 662 * SECOND)).not.toEqual([])
    expect(report).toMatchObject({ ended: 'done', counts: { done: 40 } })
  })

  it('is held on the word of an operator, with no end', async () => {
    const story = new Story()

    await story.run({ hosts: ['a.test', 'b.test'] }, async (run) => {
      await story.at(3 * SECOND)
      await run.control({ kind: 'pause-host', hostKey: 'a.test' })
      expect(run.explain('a.test')?.holds[0]).toEqual({ by: 'operator', why: 'paused', until: Infinity })
      await run.control({ kind: 'resume-host', hostKey: 'a.test' })
      expect(run.explain('a.test')?.holds.map(({ by }) => by)).not.toContain('operator')
    })
  })

  it('is sent nothing that was booked and not written yet', async () => {
    const clock = new VirtualClock()
    const start = clock.now()
    const sent: number[] = []
    // A request is written long after it was booked.
    const web = scriptedWeb(clock, {
      'http://a.test/': html(...Array.from({ length: 40 }, (_, n) => `/${n}`)),
      ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`http://a.test/${n}`, { ...html(), sentAfterMs: 900 }])),
    })
    const run = crawl({
      spider: spider({ name: 'many', seeds: ['http://a.test/'], handlers: { start: (page) => page.links() } }),
      policies: [],
      plugins: [definePlugin({ name: 'free', policy: 'rate', admit() {} })],
      maxPerHost: 8,
      frontier: memoryFrontier(),
      randomSeed: 'booked',
      clock,
      fetcher: web,
    })
    run.hooks.onTrace.tap('test', (event) => {
      if (event.kind === 'sent') sent.push(clock.now() - start)
    })
    const pause = async (): Promise<void> => {
      await sleepUntil(clock, start + 2_500)
      await run.control({ kind: 'pause-host', hostKey: 'a.test' })
      const pausedAt = clock.now() - start
      await sleepUntil(clock, start + 10_000)
      expect(sent.length).toBeGreaterThan(5)
      expect(sent.filter((at) => at > pausedAt)).toEqual([])
      run.abort()
    }

    await clock.run(Promise.all([run.run(), pause()]))
  })

  it('is named by the report of the run, until when and on whose word, and no longer once that is over', async () => {
    const story = new Story()
    const hosts = ['a.test', 'b.test', 'c.test']
    const report = await story.run({ hosts, maxTimeMs: 10 * SECOND }, async (run) => {
      await story.at(2 * SECOND)
      await run.control({ kind: 'pause-host', hostKey: 'a.test' })
      await run.control({ kind: 'pause-host', hostKey: 'b.test', until: story.startedAt + 60 * SECOND })
      await run.control({ kind: 'pause-host', hostKey: 'c.test', until: story.startedAt + 5 * SECOND })
    })

    const until = { 'a.test': Infinity, 'b.test': story.startedAt + 60 * SECOND }
    expect(report.pausedHosts).toEqual({
      count: 2,
      first: Object.entries(until).map(([hostKey, moment]) => ({ hostKey, until: moment })),
    })
    const waits = new Map(report.waitingHosts.map((host) => [host.hostKey, host]))
    expect(waits.get('a.test')).toMatchObject({ why: 'operator: paused', until: Infinity })
    expect(waits.get('b.test')).toMatchObject({ why: 'operator: paused', until: until['b.test'] })
    expect(waits.get('c.test')?.why).not.toContain('operator')
  })

  it('is paused from its first lease on where it is ordered ahead', async () => {
    const story = new Story()
    await story.run({ hosts: ['a.test'], pages: 5 }, async (run) => {
      await story.at(1 * SECOND)
      await run.control({ kind: 'pause-host', hostKey: 'b.test' })
    })

    const report = await story.run({ hosts: ['a.test', 'b.test'] }, async (run) => {
      await story.at(60 * SECOND)
      await run.control({ kind: 'stop' })
    })

    expect(report.ended).toBe('stopped')
    expect(story.between(0, 60 * SECOND, 'b.test')).toEqual([])
  })
})

describe('limits that are ordered for a host', () => {
  it('hold at once, in place of those of the configuration, and in the next run', async () => {
    const story = new Story()
    const config = { hosts: ['a.test'], pages: 200 }
    await story.run({ ...config, maxTimeMs: 60 * SECOND }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'limit-host', hostKey: 'a.test', limits: { delayMs: 5_000 } })
    })
    const [first, second] = [story.between(20 * SECOND, 60 * SECOND).length, story.sent.length]
    await story.run({ ...config, maxTimeMs: 60 * SECOND }, async (run) => {
      await story.at(120 * SECOND)
      await run.control({ kind: 'limit-host', hostKey: 'a.test', limits: { delayMs: null } })
    })

    expect(story.between(0, 10_300).length).toBeGreaterThanOrEqual(9)
    expect(first).toBeLessThanOrEqual(8)
    expect(story.between(60 * SECOND, 120 * SECOND).length).toBeLessThanOrEqual(13)
    expect(story.sent.length).toBeGreaterThan(second)
  })
})

/** A policy that leaves a host alone for `openMs` once it has had five answers, and one that is no policy, which counts all of them. */
function learning(openMs: number): { plugins: Plugin[]; counted: () => number } {
  let counted = 0
  const breaker = definePlugin<{ answers: number; openUntil: number }>({
    name: 'five',
    policy: 'breaker',
    hostMemory: () => ({ answers: 0, openUntil: 0 }),
    admit: (ask, { openUntil }) => ask.notBefore(openUntil, 'had five answers'),
    onResponse({ now }, memory) {
      memory.answers++
      if (memory.answers === 5) memory.openUntil = now + openMs
    },
  })
  const counter = definePlugin<{ answers: number }>({
    name: 'counter',
    hostMemory: () => ({ answers: 0 }),
    onResponse: (_answer, memory) => void (counted = ++memory.answers),
  })
  return { plugins: [breaker, counter], counted: () => counted }
}

describe('a limit that is lifted while nobody crawls', () => {
  it('is lifted in the next run, and orders that were carried out are not carried out again', async () => {
    const story = new Story()
    await story.run({ hosts: ['a.test'], maxTimeMs: 60 * SECOND }, async (run) => {
      await story.at(10_300)
      await run.control({ kind: 'limit-host', hostKey: 'a.test', limits: { delayMs: 7_200_000 } })
      await story.at(55 * SECOND)
    })
    await story.order({ kind: 'limit-host', hostKey: 'a.test', limits: { delayMs: null } })
    const before = story.sent.length

    const report = await story.run({ hosts: ['a.test'], maxTimeMs: 120 * SECOND }, async () => {})

    expect(story.sent.length - before).toBeGreaterThan(20)
    expect(report.counts.done).toBe(40)
  })
})

describe('an order to forget a host', () => {
  it.each([
    ['held', 30 * SECOND, 12 * SECOND],
    ['parked in the store', 3_600 * SECOND, 600 * SECOND],
  ])('has its policies begin anew where it is %s; what is no policy remembers', async (_where, openMs, orderedAt) => {
    const story = new Story()
    const { plugins, counted } = learning(openMs)

    await story.run({ hosts: ['a.test'], plugins, patienceMs: Infinity }, async (run) => {
      await story.at(orderedAt)
      expect(story.sent).toHaveLength(5)
      await run.control({ kind: 'forget-host', hostKey: 'a.test' })
      await story.at(orderedAt + 10 * SECOND)
      run.stop()
    })

    expect(story.between(orderedAt, orderedAt + 1 * SECOND)).not.toEqual([])
    expect(story.sent).toHaveLength(10)
    expect(counted()).toBe(10)
  })

  it('is carried out once: what is learned after it stays learned in the next run', async () => {
    const story = new Story()
    const { plugins } = learning(3_600 * SECOND)
    await story.run({ hosts: ['a.test'], plugins, maxTimeMs: 60 * SECOND, patienceMs: Infinity }, async (run) => {
      await story.at(20 * SECOND)
      await run.control({ kind: 'forget-host', hostKey: 'a.test' })
    })

    await story.run({ hosts: ['a.test'], plugins, maxTimeMs: 60 * SECOND, patienceMs: Infinity }, async () => {})

    expect(story.sent).toHaveLength(10)
  })

  it('waits for what is in flight, and keeps the delay between two requests', async () => {
    const story = new Story()
    const { plugins } = learning(3_600 * SECOND)

    await story.run({ hosts: ['a.test'], plugins, patienceMs: Infinity }, async (run) => {
      await story.at(2_100)
      for (let n = 0; n < 5; n++) await run.control({ kind: 'forget-host', hostKey: 'a.test' })
      await story.at(20 * SECOND)
      run.stop()
    })

    const gaps = story.sent.slice(1).map(({ at }, n) => at - (story.sent[n]?.at ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(900)
  })
})

describe('seeds that are added', () => {
  it('are crawled, and their hosts belong to the crawl in later runs', async () => {
    const story = new Story()
    const first = await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(3 * SECOND)
      await run.control({ kind: 'add', seeds: [{ url: 'http://late.test/0' }] })
    })

    expect(first).toMatchObject({ ended: 'done', counts: { done: 80 } })
  })

  it('are taken from the orders at a whole millisecond, which is all that a store on a server has', async () => {
    const store = memoryFrontier()
    const moments: number[] = []
    const frontier: Frontier = {
      ...store,
      order(jsons, when) {
        moments.push(when.now)
        return store.order(jsons, when)
      },
    }
    const story = new Story(() => frontier)
    await story.run({ hosts: ['a.test'] }, async (run) => {
      await story.at(3_000.25)
      await run.control({ kind: 'add', seeds: [{ url: 'http://late.test/0' }] })
    })

    expect(moments.length).toBeGreaterThan(1)
    expect(moments.map((at) => at % 1)).toEqual(moments.map(() => 0))
  })

  it('wait for the next run where they came as this one ended', async () => {
    const story = new Story()
    await story.run({ hosts: ['a.test'], maxTimeMs: 5 * SECOND }, async (run) => {
      await story.at(5 * SECOND)
      await run.control({ kind: 'add', seeds: [{ url: 'http://late.test/0' }] }).catch(() => {})
    })

    const second = await story.run({ hosts: ['a.test'] }, async () => {})

    expect(second).toMatchObject({ ended: 'done', counts: { done: 80 } })
  })
})

describe('what is secret in an added URL', () => {
  const url = 'http://user:word@late.test/0?key=SECRET'
  const notes = async ({ reader }: Frontier) => JSON.stringify([(await reader.info()).memories, await reader.orders(0)])

  it('is in memory only: this process sends it, and no store has it', async () => {
    const frontier = memoryFrontier()
    const story = new Story(() => frontier)

    await story.run({ hosts: ['a.test'], secretParameters: ['key'] }, async (run) => {
      await story.at(5_300)
      await run.control({ kind: 'add', seeds: [{ url }] })
      expect(await notes(frontier)).not.toMatch(/SECRET|word/)
    })

    expect(story.between(5_000, 10_000, 'late.test')[0]).toMatchObject({ path: '/0', query: '?key=SECRET' })
    expect(await notes(frontier)).not.toMatch(/SECRET|word/)
  })

  it('is in no store either where another process adds it: the names are known from earlier runs', async () => {
    const frontier = memoryFrontier()
    const story = new Story(() => frontier)
    await story.run({ hosts: ['a.test'], secretParameters: ['key'], maxTimeMs: 5 * SECOND }, async () => {})

    await story.order({ kind: 'add', seeds: [{ url }] })

    expect(await notes(frontier)).toContain('key=__secret__')
    expect(await notes(frontier)).not.toMatch(/SECRET|word/)
  })
})

/** Orders by a process of its own, as a command gives them. */
describe('orders of another process', () => {
  function shared(): { story: Story; path: string; order: (control: Control) => Promise<void> } {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-controls-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'store.db')
    const story = new Story((clock) => sqlite(path, { clock, synchronous: 'normal' }))
    const order = async (control: Control): Promise<void> => {
      const frontier = sqlite(path, { clock: story.clock, synchronous: 'normal' })
      await frontier.open({ name: '', hostKeying: 'host' }, story.clock.now())
      await Orders.give(frontier, control, story.clock.now())
      await frontier.close()
    }
    return { story, path, order }
  }

  it('are carried out within a second', async () => {
    const { story, order } = shared()

    const report = await story.run({ hosts: ['a.test', 'b.test'] }, async () => {
      await story.at(10_300)
      await order({ kind: 'pause-host', hostKey: 'a.test' })
      await story.at(20 * SECOND)
      await order({ kind: 'pause' })
      await story.at(30 * SECOND)
      await order({ kind: 'resume' })
      await order({ kind: 'resume-host', hostKey: 'a.test' })
      await order({ kind: 'add', seeds: [{ url: 'http://late.test/0' }] })
      await story.at(40 * SECOND)
      await order({ kind: 'stop' })
    })

    expect(story.between(11 * SECOND, 30 * SECOND, 'a.test')).toEqual([])
    expect(story.between(11 * SECOND, 20 * SECOND, 'b.test').length).toBeGreaterThan(5)
    expect(story.between(21 * SECOND, 30 * SECOND)).toEqual([])
    for (const host of ['a.test', 'b.test', 'late.test']) expect(story.between(31 * SECOND, 33 * SECOND, host)).not.toEqual([])
    expect(report.ended).toBe('stopped')
    expect(report.endedAt - story.startedAt).toBeLessThan(42 * SECOND)
  })

  it.each<[string, readonly Control[]]>([
    [
      'two hosts',
      [
        { kind: 'pause-host', hostKey: 'a.test' },
        { kind: 'pause-host', hostKey: 'b.test' },
      ],
    ],
    ['a host and the crawl', [{ kind: 'pause-host', hostKey: 'b.test' }, { kind: 'pause' }]],
    [
      'an added site and a host',
      [
        { kind: 'add', seeds: [{ url: 'http://late.test/0' }] },
        { kind: 'pause-host', hostKey: 'b.test' },
      ],
    ],
  ])('that are given at once are all in the store: %s', async (_, orders) => {
    const { story, path } = shared()
    let kept: unknown

    await story.run({ hosts: ['a.test', 'b.test'] }, async (run) => {
      await story.at(5_300)
      await Promise.all(orders.map((order) => run.control(order)))
      // What was carried out is written, too.
      await story.at(10_300)
      const frontier = sqlite(path, { clock: story.clock, synchronous: 'normal' })
      await frontier.open({ name: '', hostKeying: 'host' }, story.clock.now())
      kept = (await Orders.of(frontier.reader)).listed.map(({ control }) => control.kind)
      await frontier.close()
      run.abort()
    })

    expect(kept).toEqual(orders.map(({ kind }) => kind))
  })

  it('are as they were given, and refused at once where they are none, whatever is being written', async () => {
    const frontier = memoryFrontier()
    const held = Promise.withResolvers<void>()
    const story = new Story(() => ({
      ...frontier,
      order: (...order) => held.promise.then(() => frontier.order(...order)),
    }))

    await story.run({ hosts: ['a.test', 'b.test'] }, async (run) => {
      await story.at(5_300)
      const order = { kind: 'pause-host', hostKey: 'a.test' }
      const given = [run.control(order as Control)]
      order.hostKey = 'b.test'
      given.push(run.control(order as Control))
      await expect(run.control({ kind: 'nonsense' } as unknown as Control)).rejects.toMatchObject({ code: 'AVO_USAGE' })
      const changed = { kind: 'given-up', done: 'dropped', pages: -1, settled: 0 } as const
      await expect(run.control(changed)).rejects.toMatchObject({ code: 'AVO_USAGE' })
      held.resolve()
      await Promise.all(given)
      expect(run.status().pausedHosts?.first.map(({ hostKey }) => hostKey)).toEqual(['a.test', 'b.test'])
      run.abort()
    })
  })

  it('open a site also where the process that offered its URLs was faster than this one heard of them', async () => {
    const { story, path } = shared()

    const report = await story.run({ hosts: ['a.test'] }, async () => {
      await story.at(5_300)
      const frontier = sqlite(path, { clock: story.clock, synchronous: 'normal' })
      const now = story.clock.now()
      await frontier.open({ name: '', hostKeying: 'host' }, now)
      await frontier.add([
        {
          fingerprint: 'another process.' as Fingerprint,
          hostKey: 'late.test',
          url: 'http://late.test/0',
          handler: 'start',
          depth: 0,
          priority: 0,
        },
      ])
      await frontier.note({ 'core:added': '[1,["http://late.test"]]' })
      await frontier.close()
    })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 80 }, refusedLinks: [] })
  })

  it('are carried out also where they came right after the first hosts were leased, before anybody looked', async () => {
    const { story, order } = shared()

    await story.run({ hosts: ['a.test'], maxTimeMs: 20 * SECOND }, async () => {
      await story.at(100)
      await order({ kind: 'pause' })
    })

    expect(story.between(SECOND, 20 * SECOND)).toEqual([])
  })

  it('stop also a process that was signing in as they came, and none that came later', async () => {
    const { path, order } = shared()
    let signsIn = true
    const story = new Story((clock) => {
      const frontier = sqlite(path, { clock, synchronous: 'normal' })
      const open: Frontier['open'] = async (...given) => {
        const info = await frontier.open(...given)
        if (signsIn) await order({ kind: 'stop' })
        return info
      }
      return Object.assign(Object.create(frontier) as Frontier, { open })
    })

    const first = await story.run({ hosts: ['a.test'] }, async () => {})
    const asked = story.sent.length
    signsIn = false
    const second = await story.run({ hosts: ['a.test'], pages: 3 }, async () => {})

    expect([first.ended, asked, second.ended]).toEqual(['stopped', 0, 'done'])
  })

  it('end the process that runs an output last, once the others hold no host any more', async () => {
    const { story, path, order } = shared()

    const report = await story.run({ hosts: ['a.test'], sinks: [{ name: 'list', write() {} }] }, async () => {
      await story.at(3_300)
      const other = sqlite(path, { clock: story.clock, synchronous: 'normal' })
      await other.open({ name: '', hostKeying: 'host' }, story.clock.now())
      const url = 'http://b.test/'
      const fingerprint = 'another process.' as Fingerprint
      await other.add([{ fingerprint, hostKey: 'b.test', url, handler: 'start', depth: 0, priority: 0 }])
      await other.lease({ now: story.clock.now(), hosts: 1, requestsPerHost: 1 })
      await order({ kind: 'stop' })
      await story.at(9 * SECOND)
      await other.close()
    })

    expect(report.ended).toBe('stopped')
    expect(report.endedAt - story.startedAt).toBeGreaterThanOrEqual(9 * SECOND)
  })

  it('are carried out by the next run where none is there', async () => {
    const { story, order } = shared()
    await story.run({ hosts: ['a.test'], maxTimeMs: 5 * SECOND }, async () => {})
    await order({ kind: 'pause-host', hostKey: 'a.test' })
    await story.run({ hosts: ['a.test'], maxTimeMs: 20 * SECOND }, async () => {})
    await order({ kind: 'resume-host', hostKey: 'a.test' })

    const report = await story.run({ hosts: ['a.test'] }, async () => {})

    expect(story.between(6 * SECOND, 25 * SECOND)).toEqual([])
    expect(report).toMatchObject({ ended: 'done', counts: { done: 40 } })
  })
})
