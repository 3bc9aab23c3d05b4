// Killed and started again: every policy goes on where its last commit left it. No burst, no forgotten Retry-After, no robots.txt asked for twice.
import { crawl, memoryFrontier, spider } from 'avocet'
import { atRest } from '@avocet/at-rest'
import type { Explanation } from '@avocet/core/tools'
import { simulatedWeb, VirtualClock, type SimulatedWeb, type SiteModel } from '@avocet/simulator'
import { WORLDS } from '@avocet/stress/worlds'
import { describe, expect, it } from 'vitest'
import { CrashStore, type CrashPoint } from '../../testkit/src/contracts/crash-store.ts'
import { polite } from '../src/index.ts'

const SECOND = 1_000

interface Life {
  readonly web: SimulatedWeb
  readonly startedAt: number
  readonly endedAt: number
}

/** One life on `store`: until the cut, or for `forMs`. */
async function live(
  model: SiteModel,
  store: CrashStore,
  how: { cut?: CrashPoint; startAt?: number; forMs?: number },
): Promise<Life> {
  const clock = new VirtualClock(how.startAt === undefined ? {} : { startAt: how.startAt })
  const web = simulatedWeb(model, { clock })
  const { frontier, died } = store.live(how.cut)
  const pages = spider({ name: 'restart', seeds: model.seeds(), handlers: { *start() {} } })
  const run = crawl({ spider: pages, policies: polite(), clock, fetcher: web, frontier, randomSeed: 'restart' })
  const startedAt = clock.now()
  using _end = clock.at(startedAt + (how.forMs ?? Infinity), () => run.abort())
  await clock.run(() => Promise.race([run.run(), died]))
  return { web, startedAt, endedAt: clock.now() }
}

describe('a crawl that is killed and started again', async () => {
  const model = WORLDS['resuming']?.()
  if (model === undefined) throw new Error('expected a world named resuming')
  const store = new CrashStore(memoryFrontier())
  const first = await live(model, store, { cut: { commit: 4_200, written: true } })
  const committed = structuredClone(store.hostMemory)
  const second = await live(model, store, { startAt: first.endedAt, forMs: 600 * SECOND })

  const committedCrawl = await atRest(memoryFrontier().reader)
  const known = (host: string): Explanation =>
    committedCrawl.explain(
      { hostKey: host, waiting: 1, memory: committed.get(host) ?? {} },
      { plugins: polite(), now: first.endedAt },
    )
  const asked = (host: string): number[] => second.web.felt(host).log.map(({ at }) => at)
  const hosts = model.hosts.map(({ name }) => name)

  it('was killed in the middle of it', () => {
    expect(first.endedAt - first.startedAt).toBeGreaterThan(60 * SECOND)
    expect(hosts.filter((host) => asked(host).length > 0).length).toBeGreaterThan(10)
  })

  it('keeps each Retry-After of the run before', () => {
    const told = hosts.flatMap((host) => {
      const last = first.web.felt(host).log.findLast(({ status }) => status === 429)
      const isToldToWait = model.hosts.some(({ name, refusal }) => name === host && refusal?.retryAfter !== undefined)
      return last === undefined || !isToldToWait ? [] : [{ host, until: last.at + 300 * SECOND }]
    })

    expect(told.filter(({ until }) => until > second.startedAt).length).toBeGreaterThan(3)
    for (const { host, until } of told) expect(asked(host).filter((at) => at < until)).toEqual([])
  })

  it('asks no host faster than it had found out', () => {
    for (const host of hosts) {
      const foundRps = Number(known(host).values['aimd']?.['foundRps'])
      const inTenSeconds = asked(host).filter((at) => at < second.startedAt + 10 * SECOND).length
      const inOneInstant = asked(host).filter((at) => at < second.startedAt + 50).length
      expect(inTenSeconds, `${host} at ${foundRps}`).toBeLessThanOrEqual(1.5 * 10 * foundRps + 1)
      expect(inOneInstant, host).toBeLessThanOrEqual(1)
    }
  })

  it('leaves a host alone whose breaker was open, for as long as it was to be', () => {
    const open = hosts.filter((host) => known(host).values['breaker']?.['state'] === 'open')

    expect(open).toEqual(['resumed-00.test'])
    for (const host of open) {
      const until = known(host).holds.find(({ by }) => by === 'breaker')?.until ?? Infinity
      expect(asked(host).filter((at) => at < until)).toEqual([])
    }
  })

  it('asks for no robots.txt a second time', () => {
    const robots = hosts.filter((host) => second.web.felt(host).log.some(({ path }) => path === '/robots.txt'))

    expect(robots).toEqual([])
  })
})
