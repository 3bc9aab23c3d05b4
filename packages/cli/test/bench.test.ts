// `avocet bench`: what this machine makes of a hostile web.
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { crawl, spider } from 'avocet'
import { failure, type Fetcher } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { figureLines } from '../src/bench/bench.ts'
import { figuresOf, HostTally, jain, type Figures } from '../src/bench/figures.ts'
import { hostileWorld, hostKindOf, KINDS } from '../src/bench/hostile-world.ts'
import { runCli } from './run-cli.ts'

describe("Jain's index", () => {
  it.each([
    [[5, 5, 5, 5], 1],
    [[8, 0, 0, 0], 0.25],
    [[4, 2], 0.9],
    [[0, 0], null],
    [[], null],
  ])('of %j is %j', (shares, index) => {
    expect(jain(shares)).toBe(index)
  })
})

describe('the figures of a bench', () => {
  const measured = {
    elapsedMs: 20_000,
    cpuMicros: 2_000_000,
    peakRssBytes: 150 * 2 ** 20,
    hosts: [
      { kind: 'fast', requests: 501, refusals: 0, pages: 500 },
      { kind: 'fast', requests: 501, refusals: 0, pages: 500 },
      { kind: 'refusing', requests: 20, refusals: 5, pages: 0 },
      { kind: 'hanging', requests: 1, refusals: 0, pages: 0 },
    ],
    node: '26.10.0',
    cpus: 2,
  } as const

  it('follow from what was counted', () => {
    expect(figuresOf(measured)).toMatchObject({
      pages: 1_000,
      pagesPerSecond: 50,
      fairness: { fast: 1, slow: null },
      refusedRatio: 0.0049,
      cpuMicrosPerPage: 2_000,
      cpuRatio: 0.1,
      kinds: { refusing: { hosts: 1, requests: 20, refusals: 5, pages: 0 }, hanging: { requests: 1 } },
    })
  })

  it('are said on one screen, with what they mean in the last three lines', () => {
    const lines = figureLines(figuresOf(measured))
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines).toContain('CPU             2,000 µs a page, 10 % of a core')
    expect(lines.at(-3)).toContain('one core would do for 500 /s')
  })

  it('can be told without a page', () => {
    const none = figuresOf({ ...measured, hosts: [] })
    expect(none).toMatchObject({ pagesPerSecond: 0, cpuMicrosPerPage: null, refusedRatio: 0 })
    expect(figureLines(none).join('\n')).toContain('not one page')
  })
})

describe('the count of requests', () => {
  it('has what was written and what found no connection, and not what was taken back before its first byte', async () => {
    const clock = new VirtualClock()
    const hosts = ['well.test', 'late.test', 'dead.test']
    const began: string[] = []
    const fetcher: Fetcher = {
      fetch({ url }, receiver) {
        const name = new URL(url).hostname
        began.push(name)
        clock.at(clock.now() + 100, () => {
          if (name === 'dead.test') return receiver.failed(failure('AVO_CONNECT_REFUSED', 'a test'))
          if (name === 'late.test') return
          receiver.sent()
        })
        return () => {}
      },
      close: () => Promise.resolve(),
    }
    const seeds = hosts.map((host) => `http://${host}/`)
    const plan = spider({ name: 'counted', seeds, handlers: { *start() {} } })
    const run = crawl({ spider: plan, policies: [], clock, fetcher, maxTimeMs: 500, drainMs: 0 })
    const tally = new HostTally(new Map(hosts.map((host) => [host, 'fast'])))
    tally.follow(run)
    await clock.run(() => run.run())

    expect(began.toSorted()).toEqual(['dead.test', 'late.test', 'well.test'])
    expect(tally.hosts.map(({ requests }) => requests)).toEqual([1, 0, 1])
  })
})

describe('the hostile world', () => {
  it('has hosts of every kind, and each knows its own', () => {
    const kinds = hostileWorld().hosts.map(({ name }) => hostKindOf(name))
    expect(KINDS.map((kind) => kinds.filter((one) => one === kind).length)).toEqual([240, 30, 30, 20, 10, 10])
  })
})

describe('avocet bench', () => {
  it('crawls it from real sockets, ends in time, and leaves nothing behind', async () => {
    const folders = async (): Promise<string[]> => (await readdir(tmpdir())).filter((name) => name.startsWith('avocet-bench-'))
    const before = await folders()
    const run = await runCli(['bench', '--seconds', '4', '--json'], { folder: tmpdir() })

    const figures = JSON.parse(run.stdout) as Figures
    expect(run).toMatchObject({ code: 0, stderr: 'crawling 340 hosts on this machine for 4 seconds\n' })
    expect(figures.pages).toBeGreaterThan(50)
    expect(figures.kinds.fast.pages).toBeGreaterThan(figures.kinds.slow.pages)
    // Each is tried once: it holds its robots.txt for as long as the bench lasts.
    expect(figures.kinds.hanging.requests).toBeGreaterThan(0)
    expect(figures.kinds.hanging.requests).toBeLessThanOrEqual(20)
    expect(figures.kinds.hanging.pages).toBe(0)
    expect(await folders()).toEqual(before)
  })

  it('wants a number of seconds that makes sense', async () => {
    const run = await runCli(['bench', '--seconds', '3000'], { folder: tmpdir() })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('bench --seconds: expected at most 300, got 3000')
  })
})
