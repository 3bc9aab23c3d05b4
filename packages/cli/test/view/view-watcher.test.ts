// What the watcher sees of real crawls on virtual time: hosts that matter, what holds them, what went wrong.
import type { FrontierReader } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { crawl, definePlugin, memoryFrontier, spider, type Crawl, type CrawlConfig } from 'avocet'
import { describe, expect, it } from 'vitest'
import { hostIndexOf } from '../../src/store/host-index.ts'
import { CrawlWatcher, HostPicks, type HostLook, type Watched } from '../../src/view/crawl-watcher.ts'
import type { Scene } from '../../src/view/scene.ts'
import { crawlStatus, hostStatus } from '../crawl/crawl-status.ts'

const T0 = 1_800_000_000_000
const QUICK = { pages: { kind: 'list', pages: 40 }, latency: { law: 'fixed', ms: 50 } } as const satisfies Partial<HostSpec>

/** `orders`: given once the crawl is open. */
interface WatchedChanges extends Partial<CrawlConfig>, Partial<Pick<Watched, 'sinkName'>> {
  readonly orders?: readonly Parameters<Crawl['control']>[0][]
}

/** Looks four times a second at a crawl of `hosts` for `forMs`, and gives the scenes. */
async function watch(
  hosts: readonly HostSpec[],
  forMs: number,
  { sinkName, orders = [], ...changes }: WatchedChanges = {},
): Promise<readonly Scene[]> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'view', hosts })
  const frontier = memoryFrontier()
  const config: CrawlConfig = {
    spider: spider({
      name: 'view',
      seeds: model.seeds(),
      handlers: {
        *start() {
          yield { n: 1 }
        },
      },
    }),
    frontier,
    policies: polite(),
    randomSeed: 'view',
    maxTimeMs: forMs,
    clock,
    fetcher: simulatedWeb(model, { clock }),
    ...changes,
  }
  const run = crawl({ policies: [], ...config })
  const told = { ...(sinkName && { sinkName }) }
  const index = hostIndexOf((changes.frontier ?? frontier).reader, clock)
  const watcher = new CrawlWatcher({ crawl: run, index, config, ...told })
  const scenes: Scene[] = []
  const look = (): void => {
    scenes.push(watcher.look(12))
    if (scenes.length < forMs / 250) clock.at(clock.now() + 250, look)
  }
  run.hooks.open.tap('test', () => {
    look()
    clock.at(clock.now() + 1_500, () => orders.forEach((order) => void run.control(order)))
  })
  await clock.run(() => run.run())
  return scenes
}

function rowOf(scenes: readonly Scene[], hostKey: string) {
  return scenes.at(-1)?.rows.find((row) => row.hostKey === hostKey)
}

describe('given-up pages that a command drops beside the run', () => {
  it('are counted as failed, and wait no more', async () => {
    const dropped = { kind: 'given-up', done: 'dropped', pages: 3, settled: 3 } as const
    const hosts = [{ name: 'a.test', ...QUICK }]
    const [before, after] = [await watch(hosts, 3_000), await watch(hosts, 3_000, { orders: [dropped] })].map((scenes) => {
      const { known, waiting, failed, done } = (scenes.at(-1) ?? expect.fail('no scene')).glance.status
      return { known, waiting, failed, done }
    })

    expect(after).toEqual({ ...before, waiting: (before?.waiting ?? 0) - 3, failed: 3 })
  })
})

describe('a host that an operator has paused', () => {
  const hosts = [
    { ...QUICK, name: 'paused.test' },
    { ...QUICK, name: 'shop.test' },
  ]

  /** A run in which it is paused, one that carries that out, and then another one, which does not meet the host. */
  async function nextRun(order: 'pause-host' | 'resume-host', changes: Partial<Watched> = {}): Promise<readonly Scene[]> {
    const frontier = memoryFrontier()
    await watch(hosts, 2_000, { frontier, orders: [{ kind: 'pause-host', hostKey: 'paused.test' }] })
    await watch(hosts, 2_000, { frontier })
    return watch(hosts, 4_000, {
      frontier,
      ...changes,
      orders: order === 'pause-host' ? [] : [{ kind: order, hostKey: 'paused.test' }],
    })
  }

  it('in an earlier run is counted in the next one', async () => {
    const scenes = await nextRun('pause-host')

    expect(scenes.at(-1)?.glance.status).toMatchObject({
      pausedHosts: { count: 1, first: [{ hostKey: 'paused.test', until: Infinity }] },
    })
    expect(scenes.at(-1)).toMatchObject({ parkedHosts: 0 })
  })

  it('is counted once, and not as one that goes on later, in the run in which it is paused', async () => {
    const scenes = await watch(hosts, 4_000, { orders: [{ kind: 'pause-host', hostKey: 'paused.test' }] })

    expect(scenes.at(-1)).toMatchObject({ parkedHosts: 0, glance: { status: { pausedHosts: { count: 1 } } } })
    expect(scenes.at(-1)?.rows.filter(({ hostKey }) => hostKey === 'paused.test')).toHaveLength(1)
  })

  it('is no longer shown as paused once it is resumed', async () => {
    const scenes = await nextRun('resume-host')

    expect(scenes.at(-1)?.glance.status).not.toHaveProperty('pausedHosts')
    expect(rowOf(scenes, 'paused.test')?.state).toBe('fine')
  })
})

describe('a sink in the view', () => {
  it('has the name that the user typed, and not that of the store', async () => {
    const write = (): void => {
      throw new Error('disk full')
    }
    const sinkName = (name: string): string => (name === '../items.jsonl' ? 'items.jsonl' : name)
    const scenes = await watch([{ ...QUICK, name: 'shop.test' }], 20_000, {
      sinks: [{ name: '../items.jsonl', write }],
      sinkName,
    })

    expect(scenes.at(-1)?.glance.status.sinks?.map(({ name }) => name)).toEqual(['items.jsonl'])
  })
})

describe('the watcher', () => {
  it('of a command that settled what another one found has never less than nothing waiting', () => {
    const frontier = memoryFrontier()
    const run = crawl({
      spider: spider({ name: 'two', seeds: ['http://a.test/'], handlers: { start: () => [] } }),
      frontier,
      policies: [],
    })
    const states = { settled: 250, done: 240, moved: 4, failed: 6 }
    const status = (): CrawlStatus =>
      crawlStatus({ known: 236, ...states, waiting: -14, hosts: [hostStatus({ hostKey: 'a.test' })] })
    const { hooks } = run
    const counted = { hooks, status, explain: () => undefined }

    const seen = new CrawlWatcher({ crawl: counted, config: {} }).look(0)

    expect(seen.glance.status).toMatchObject({ settled: 250, known: 250, waiting: 0 })
  })

  it('says who is waited for when the only host refuses connections, although no status has it any more', async () => {
    const scenes = await watch([{ ...QUICK, name: 'dead.test', death: 'refuse' }], 20_000)

    const { glance, heldHosts, firstHeld, parkedHosts, troubles } = scenes.at(-1) ?? expect.fail('no scene')
    expect(glance.status.liveHosts).toBe(0)
    expect({ heldHosts, parkedHosts }).toEqual({ heldHosts: 1, parkedHosts: 1 })
    expect(firstHeld).toMatchObject({ hostKey: 'dead.test', hold: { by: 'breaker', why: 'open after connect-refused' } })
    expect(firstHeld?.hold.until).toBeGreaterThan(glance.status.now + 1_000)
    expect(troubles).toEqual([{ kind: 'connect-refused of robots.txt', count: 2 }])
    expect(rowOf(scenes, 'dead.test')).toMatchObject({ state: 'unreachable', waiting: 40 })
  })

  it('tells within a second of the first failure what is wrong, also before a breaker opens', async () => {
    const scenes = await watch([{ ...QUICK, name: 'dead.test', death: 'refuse' }], 1_000)
    expect(scenes.at(-1)).toMatchObject({
      heldHosts: 1,
      firstHeld: { hostKey: 'dead.test', hold: { by: 'robots' } },
      troubles: [{ kind: 'connect-refused of robots.txt', count: 1 }],
    })
  })

  it('says when a host goes on whose requests were all put off', async () => {
    const later = definePlugin({
      name: 'later',
      beforeRequest: (outgoing) => outgoing.retry(outgoing.now + 120_000, 'comes later'),
    })
    const scenes = await watch([{ ...QUICK, name: 'a.test', pages: { kind: 'list', pages: 3 } }], 15_000, {
      plugins: [...polite(), later],
    })

    const { heldHosts, firstHeld, parkedHosts } = scenes.at(-1) ?? expect.fail('no scene')
    expect({ heldHosts, parkedHosts }).toEqual({ heldHosts: 1, parkedHosts: 1 })
    expect(firstHeld).toMatchObject({ hostKey: 'a.test', hold: { by: 'core', why: 'put off: comes later' } })
    expect(rowOf(scenes, 'a.test')?.hold?.why).toBe('put off: comes later')
  })

  it('finds the hosts that matter among many, and calls each by what it is', async () => {
    const picky = { capacity: { law: 'bucket', perSecond: 0.5, burst: 1 }, refusal: { status: 429 } } as const
    const scenes = await watch(
      [
        ...Array.from({ length: 30 }, (_, n): HostSpec => ({ ...QUICK, name: `well-${n}.test` })),
        { ...QUICK, name: 'slow.test', latency: { law: 'fixed', ms: 4_000 } },
        { ...QUICK, name: 'picky.test', ...picky },
        { ...QUICK, name: 'dead.test', death: 'refuse' },
      ],
      12_000,
    )

    expect(scenes.at(-1)?.rows).toHaveLength(12)
    expect(rowOf(scenes, 'dead.test')?.state).toBe('unreachable')
    expect(rowOf(scenes, 'slow.test')?.state).toBe('slow')
    expect(rowOf(scenes, 'picky.test')?.state).toBe('fine')
    expect(rowOf(scenes, 'picky.test')?.foundRps).toBeGreaterThan(0)
    expect(scenes.at(-1)?.rows.filter(({ state }) => state === 'fine').length).toBeGreaterThanOrEqual(8)
    expect(new Set(scenes.at(-1)?.rows.map(({ hostKey }) => hostKey)).size).toBe(12)
  })

  it('counts requests that are done and failed, and names why', async () => {
    const robots = { body: 'User-agent: *\nDisallow: /' }
    const scenes = await watch(
      [
        { name: 'closed.test', pages: { kind: 'list', pages: 5 }, robots },
        { ...QUICK, name: 'well.test' },
      ],
      4_000,
    )
    const { failures, glance } = scenes.at(-1) ?? expect.fail('no scene')
    const { done, failed } = glance.status
    expect({ failed, failures }).toEqual({ failed: 5, failures: [{ kind: 'robots', count: 5 }] })
    expect(done).toBe(glance.status.run.pages)
    expect(done).toBeGreaterThan(0)
  })

  it('asks the store about no host', async () => {
    const frontier = memoryFrontier()
    const asked: string[] = []
    const read = frontier.reader.hosts.bind(frontier.reader)
    Object.assign(frontier.reader, {
      hosts(query: Parameters<FrontierReader['hosts']>[0]) {
        if (query.hostKey !== undefined) asked.push(query.hostKey)
        return read(query)
      },
    })
    const hosts = Array.from({ length: 100 }, (_, n): HostSpec => ({ ...QUICK, name: `well-${n}.test` }))
    await watch(hosts, 10_000, { frontier })

    expect(asked).toEqual([])
  })
})

describe('the choice of hosts', () => {
  /** Three slow hosts at which so much waits. */
  function views(waitingAt: Readonly<Record<string, number>>): ReadonlyMap<string, HostLook> {
    const all = Object.entries(waitingAt).map(([hostKey, waiting]): [string, HostLook] => [
      hostKey,
      { status: hostStatus({ hostKey, waiting }), state: 'slow', why: '', values: () => ({}), phase: 'running' },
    ])
    return new Map(all)
  }
  const keysOf = (rows: Scene['rows']) => rows.map(({ hostKey }) => hostKey)

  it('stays for two seconds: a table whose lines change places with every answer cannot be read', () => {
    const picks = new HostPicks()
    const first = picks.pick(views({ a: 3_000, b: 2_000, c: 1_500 }), { room: 2, now: T0 }).rows
    const soon = picks.pick(views({ a: 1_000, b: 2_000, c: 9_000 }), { room: 2, now: T0 + 1_750 }).rows
    const later = picks.pick(views({ a: 1_000, b: 2_000, c: 9_000 }), { room: 2, now: T0 + 2_000 }).rows

    expect([keysOf(first), keysOf(soon), keysOf(later)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['b', 'c'],
    ])
    expect(soon[0]?.waiting).toBe(1_000)
  })

  it('drops a host that is done at once, and fills its place', () => {
    const picks = new HostPicks()
    picks.pick(views({ a: 3_000, b: 2_000 }), { room: 2, now: T0 })
    expect(keysOf(picks.pick(views({ b: 2_000, c: 9_000 }), { room: 2, now: T0 + 250 }).rows)).toEqual(['b', 'c'])
  })
})
