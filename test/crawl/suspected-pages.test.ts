// Pages that were in progress when processes died: one of them may have killed these, or a signal from outside. Which of them it was, only the death of a
// process that worked on one page alone can say.
import { memoryFrontier, spider, type Spider } from 'avocet'
import { fingerprintOf, nextTurn, type Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { crawlWritten } from './written-web.ts'

const HOSTS = ['first.test', ...Array.from({ length: 11 }, (_, n) => `other-${n}.test`)]
const SPEC = { name: 'suspected', hostKeying: 'host' }
const FIRST = 'http://first.test/'

/** A frontier with a page of each host. Two processes died while those of `accused` were in progress. */
async function frontierWith(accused: readonly string[]): Promise<Frontier> {
  const frontier = memoryFrontier()
  await frontier.open(SPEC, 0)
  const pages = HOSTS.map((hostKey) => ({ hostKey, url: `http://${hostKey}/` }))
  await frontier.add(
    pages.map(({ hostKey, url }) => ({
      url,
      hostKey,
      fingerprint: fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' }),
      handler: 'start',
      depth: 0,
      priority: 0,
    })),
  )
  for (let dead = 0; dead < 2; dead++) {
    const { leases } = await frontier.lease({ now: 0, hosts: HOSTS.length, requestsPerHost: 1 })
    const inProgress = leases.filter(({ hostKey }) => accused.includes(hostKey))
    await frontier.inProgress(inProgress.flatMap(({ requests }) => requests.map(({ id }) => id)))
    await frontier.open(SPEC, 0)
  }
  return frontier
}

/** Turns of the event loop: while a handler has a page, virtual time stands still. */
async function turns(n: number): Promise<void> {
  for (let turn = 0; turn < n; turn++) await nextTurn()
}

/** A spider whose handlers take some turns, and which pages were in theirs when one was half-way. */
function slowSpider(): { slow: Spider; seen: string[][] } {
  const inHandler = new Set<string>()
  const seen: string[][] = []
  const slow = spider({
    name: SPEC.name,
    seeds: [FIRST],
    scope: { within: 'any' },
    handlers: {
      async *start(page) {
        inHandler.add(page.url.hostname)
        await turns(5)
        seen.push([...inHandler])
        await turns(5)
        inHandler.delete(page.url.hostname)
        yield { url: page.url.href }
      },
    },
  })
  return { slow, seen }
}

describe('a page that was in progress when two processes died', () => {
  it('is handled alone, while the others wait', async () => {
    const clock = new VirtualClock()
    const frontier = await frontierWith(['first.test'])
    const { slow, seen } = slowSpider()

    const { report } = await clock.run(() => crawlWritten(() => 'a page', { spider: slow, frontier, clock }))

    expect(report.counts).toMatchObject({ known: 12, done: 12, failed: 0 })
    expect(seen.filter((pages) => pages.includes('first.test'))).toEqual([['first.test']])
    expect(Math.max(...seen.map((pages) => pages.length))).toBeGreaterThan(4)
  })

  it('is handled alone beside others like it, each in turn', async () => {
    const clock = new VirtualClock()
    const frontier = await frontierWith(HOSTS)
    const { slow, seen } = slowSpider()

    const { report } = await clock.run(() => crawlWritten(() => 'a page', { spider: slow, frontier, clock }))

    expect(report.counts).toMatchObject({ known: 12, done: 12, failed: 0 })
    expect(seen.map((pages) => pages.length)).toEqual(HOSTS.map(() => 1))
  })
})

describe('a page that waits for its turn', () => {
  it('is not in progress for the store, nor is one that has ended: a death cannot be their work', async () => {
    const clock = new VirtualClock()
    const frontier = await frontierWith(HOSTS)
    const told: number[] = []
    const record = frontier.inProgress.bind(frontier)
    frontier.inProgress = (ids) => {
      told.push(ids.length)
      return record(ids)
    }
    const { slow } = slowSpider()

    await clock.run(() => crawlWritten(() => 'a page', { spider: slow, frontier, clock }))

    expect(told).toEqual(HOSTS.flatMap(() => [1, 0]))
  })
})
