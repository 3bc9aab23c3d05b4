// How fast a crawl goes, what its report says at the end, and what to do next.
import type { CrawlReport } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
import type { HostNow } from '../../src/view/pace.ts'
import { describe, expect, it } from 'vitest'
import { finalReport } from '../../src/crawl/final-report.ts'
import { nextStep } from '../../src/crawl/next-step.ts'
import { calledFrom, commandName } from '../../../project/src/text/command-line.ts'
import { Pace } from '../../src/view/pace.ts'
import { crawlStatus, hostStatus } from '../crawl/crawl-status.ts'

describe('the pace', () => {
  it('looks back ten seconds, and knows the end only while less and less is waiting', () => {
    const pace = new Pace()
    const { run } = crawlStatus()
    const hosts = [hostStatus({ waiting: 0 })]
    const at = (ms: number, pages: number, waiting: number) =>
      pace.glance(crawlStatus({ now: ms, run: { ...run, pages }, waiting, hosts }))

    expect(at(0, 0, 100)).toMatchObject({ pagesPerSecond: 0 })
    expect(at(5_000, 50, 120)).not.toHaveProperty('restMs')
    expect(at(9_000, 90, 60)).toMatchObject({ pagesPerSecond: 10, restMs: 13_500 })
    expect(at(14_000, 90, 60)).toMatchObject({ pagesPerSecond: 40 / 9 })
  })

  it.each([
    ['seeds are still offered', { seeds: { offered: 28_000, of: 200_000 }, hosts: [hostStatus({ waiting: 0 })] }],
    ['what single hosts need is not known', { hosts: [] }],
  ])('knows no end while %s', (_, changes) => {
    const pace = new Pace()
    pace.glance(crawlStatus({ now: 0, waiting: 411, ...changes }))

    expect(pace.glance(crawlStatus({ now: 8_000, waiting: 11, ...changes }))).not.toHaveProperty('restMs')
  })

  it('looks back to the look before, where looks are rarer', () => {
    const pace = new Pace()
    const { run } = crawlStatus()
    const at = (now: number, pages: number) => pace.glance(crawlStatus({ now, run: { ...run, pages }, hosts: [] }))
    at(0, 0)
    at(30_000, 300)

    expect(at(60_000, 900)).toMatchObject({ pagesPerSecond: 20 })
  })

  it('tells the rate of the last seconds from that of the whole run', () => {
    const pace = new Pace()
    const { run } = crawlStatus()
    const at = (now: number, pages: number) => pace.glance(crawlStatus({ now, startedAt: 0, run: { ...run, pages }, hosts: [] }))
    at(100_000, 1_000)

    expect(at(104_000, 1_040)).toMatchObject({ pagesPerSecond: 10, averagePagesPerSecond: 10 })
    expect(at(108_000, 1_040)).toMatchObject({ pagesPerSecond: 5, averagePagesPerSecond: 1_040 / 108 })
  })

  it('knows the end of a run with a limit, and none of a crawl that is paused or stops', () => {
    const pace = new Pace({ maxTimeMs: 60_000, maxPages: 200 })
    const { run } = crawlStatus()
    const at = (now: number, pages: number, phase: CrawlStatus['phase'] = 'running') =>
      pace.glance(crawlStatus({ now, startedAt: 0, phase, waiting: now, run: { ...run, pages }, hosts: [] })).restMs

    expect(at(1_000, 1)).toBe(59_000)
    expect(at(6_000, 101)).toBe(4_950)
    expect([at(7_000, 110, 'paused'), at(8_000, 110, 'draining')]).toEqual([undefined, undefined])
    expect(pace.glance(crawlStatus({ now: 9_000, startedAt: 0, pausedFor: 'by an operator' })).restMs).toBe(undefined)
  })

  it.each([
    ['waits for a parked host too', 60_000, 60_000],
    ['does not wait for one longer than the crawl does', 60_001, 220],
  ])('%s', (_what, heldMs, ms) => {
    const pace = new Pace({ patienceMs: 60_000 })
    const parked = hostStatus({
      hostKey: 'parked.example',
      lastDurationMs: 0,
      lastStartAt: 0,
      hold: { by: 'x', why: 'y', until: 108_000 + heldMs },
    })
    pace.glance(crawlStatus({ now: 100_000, waiting: 411, hosts: [] }))
    expect(pace.glance(crawlStatus({ now: 108_000, waiting: 11, hosts: [] }), [parked]).restMs).toBe(ms)
  })

  it.each([
    ['nothing of a crawl in which a host is paused without an end', Infinity, undefined],
    ['no less than a host is paused for, however long the crawl waits for others', 108_000 + 7_200_000, 7_200_000],
  ])('says %s', (_what, until, ms) => {
    const pace = new Pace()
    const paused = hostStatus({ lastDurationMs: 0, lastStartAt: 0, hold: { by: 'operator', why: 'paused', until } })
    pace.glance(crawlStatus({ now: 100_000, waiting: 411, hosts: [] }))
    expect(pace.glance(crawlStatus({ now: 108_000, waiting: 11, hosts: [paused] })).restMs).toBe(ms)
  })

  /** What is left after 400 of 411 requests went by in 8 s, and one host is as said at the end of them. */
  function leftWith(before: Partial<HostNow>, after: Partial<HostNow>): number | undefined {
    const pace = new Pace()
    pace.glance(crawlStatus({ now: 100_000, waiting: 411, hosts: [hostStatus({ answered: 0, ...before })] }))
    return pace.glance(crawlStatus({ now: 108_000, waiting: 11, hosts: [hostStatus({ answered: 0, ...after })] })).restMs
  }

  it('is not known where an operator has paused a host that no process holds', () => {
    const pace = new Pace()
    pace.glance(crawlStatus({ now: 100_000, waiting: 20, hosts: [] }))
    const pausedHosts = { count: 1, first: [{ hostKey: 'a.example', until: Infinity }] }

    expect(pace.glance(crawlStatus({ now: 108_000, waiting: 11, hosts: [], pausedHosts })).restMs).toBe(undefined)
  })

  it.each([
    ['a quick host: the rate of all', { answered: 160, waiting: 11 }, 550],
    ['a host that ended four in 8 s', { answered: 4, waiting: 11 }, 22_000],
    ['the same, held for 9 s', { answered: 4, waiting: 11, hold: { by: 'x', why: 'y', until: 117_000 } }, 29_000],
    ['a host that is under way since 6 s', { waiting: 2, inFlight: 1, lastStartAt: 102_000 }, 12_000],
    ['a host that never answered: its probes', { waiting: 11, proven: false, lastStartAt: 102_000 }, 18_000],
    ['nothing at its hosts', { waiting: 0 }, 220],
  ])('waits at least for the slowest host: %s', (_what, host, ms) => {
    expect(leftWith({ waiting: 200 }, host)).toBe(ms)
  })
})

describe('the final report', () => {
  const report: CrawlReport = {
    schema: 1,
    name: 'price-watch',
    ended: 'patience',
    why: 'what is left waits for an hour',
    resumed: true,
    startedAt: 0,
    endedAt: 90_000,
    run: { ...crawlStatus().run },
    counts: {
      known: 2_400,
      waiting: 100,
      done: 2_280,
      moved: 15,
      failed: 5,
      items: 2_000,
      hosts: 14,
      retiredHosts: 1,
      retired: 20,
    },
    rejects: [],
    handlerErrors: [],
    failures: [{ reason: 'http-404', count: 5 }],
    probation: { pages: 0, requests: [] },
    closedPatterns: [],
    driedUp: [],
    conditions: {},
    rounds: [],
    refusedLinks: [],
    waitingHosts: [{ hostKey: 'slow.example', waiting: 80, until: 3_690_000, why: 'robots: crawl-delay' }],
    retiredHosts: [{ hostKey: 'dead\u001b[31m.example', waiting: 20, reason: 'never answered' }],
    problems: Array.from({ length: 12 }, (_, n) => ({ message: `handler start threw: no. ${n}`, count: n + 1 })),
  }

  it('leaves the error of a failed crawl to the line with its code', () => {
    const failed: CrawlReport = { ...report, ended: 'failed', error: { code: 'AVO_FRONTIER_FULL', message: 'the disk is full' } }
    expect(finalReport(failed)[0]).toBe('price-watch ended with an error after 1 min 30 s')
  })

  it('says how many seeds were offered where that was not all', () => {
    const lines = finalReport({ ...report, ended: 'stopped', seeds: { offered: 28_000, of: 200_000 } })

    expect(lines).toContain('  seeds: 28,000 of 200,000 offered; the next run offers the rest')
    expect(finalReport(report).join('\n')).not.toContain('seeds')
  })

  it('has one line for all hosts that can continue at once', () => {
    const host = (hostKey: string, waiting: number, until: number) => ({ hostKey, waiting, until, why: 'politeness: delay' })
    const waits = (...waitingHosts: CrawlReport['waitingHosts']) =>
      finalReport({ ...report, ended: 'limit', failures: [], retiredHosts: [], problems: [], waitingHosts }).slice(4)

    expect(waits(host('a.example', 3_200, 0), host('b.example', 10, 90_090), host('c.example', 1, 95_000))).toEqual([
      '  waiting:',
      '    3 hosts with 3,211 requests can continue at once',
    ])
    expect(waits(host('a.example', 1, 0), host('b.example', 10, 150_000))).toEqual([
      '  waiting:',
      '    b.example: 10 requests for 1 min (politeness: delay)',
      '    1 host with 1 request can continue at once',
    ])
    expect(waits(...Array.from({ length: 100 }, (_, n) => host(`${n}.example`, 2, 0)))[1]).toBe(
      '    at least 100 hosts with 200 requests can continue at once',
    )
    const [, ofPaused] = finalReport({
      ...report,
      ended: 'limit',
      paused: true,
      failures: [],
      waitingHosts: [host('a.example', 1, 0)],
    }).slice(4)
    expect(ofPaused).toBe('    1 host with 1 request until the crawl is resumed')
    const paused = { hostKey: 'paused.example', waiting: 8, why: 'operator: paused' }
    expect(waits({ ...paused, until: Infinity }, { ...paused, until: 253_402_300_799_000 })).toEqual([
      '  waiting:',
      '    paused.example: 8 requests until it is resumed (operator: paused)',
      '    paused.example: 8 requests until it is resumed (operator: paused)',
    ])
  })

  it('says which pages are missing, and when the hosts that were given up are asked again', () => {
    const page = { url: 'https://a.example/1', why: 'http-404', status: 404, since: 0, visits: 3, nextAt: 150_000 }
    const retiredHosts = [{ hostKey: 'dead.example', waiting: 2, reason: 'never answered', probeAt: 3_690_000 }]
    const lines = finalReport({
      ...report,
      ended: 'given-up',
      probation: { pages: 1, requests: [page] },
      retiredHosts,
      problems: [],
    })

    expect(lines[0]).toBe('price-watch ended with hosts given up after 1 min 30 s: what is left waits for an hour')
    expect(lines.slice(-4)).toEqual([
      '  hosts given up:',
      '    dead.example: 2 left, never answered; probed again in 1 h',
      '  missing, 1 page:',
      '    https://a.example/1: http-404 for 1 min 30 s, 3 visits in a row; requested again in 1 min',
    ])
  })

  it('says as of when the totals are where the store could not be read at the end', () => {
    expect(finalReport({ ...report, withoutStore: true })[3]).toBe(
      '  in all, as of the last commit, for the store could not be read at the end: 2,400 pages known: 2,280 done, 15 moved, 5 failed, 100 waiting; 2,000 items; pages of this run that it lacks are requested again by the next one',
    )
  })

  it('calls failed what was given up, and a request without a response a network error, also where nothing was sent', () => {
    const lines = finalReport({ ...report, run: { ...report.run, requests: 0, failures: 4 } })

    expect(lines.slice(1, 3)).toEqual([
      '  this run: 1,204 pages done, 4 moved, 3 failed; 980 items',
      '    0 requests, 12 retries, 4 network errors, 42 MiB',
    ])
  })

  it('tells visits of this run from pages of the store, and pages from sitemaps and files', () => {
    const { counts } = report
    const lines = finalReport({ ...report, counts: { ...counts, again: 2_000 }, documents: 80 })

    expect(lines[1]).toBe('  this run: 1,204 visits done, 4 moved, 3 failed; 980 items')
    expect(lines[3]).toBe(
      '  in all: 2,400 pages known: 2,280 done (80 of them sitemaps or files), 15 moved, 5 failed, 100 waiting; 2,000 items, 14 hosts',
    )
  })

  it('says what was done, what failed, and what waits until when', () => {
    expect(finalReport(report)).toMatchInlineSnapshot(`
      [
        "price-watch ended early after 1 min 30 s: what is left waits for an hour",
        "  this run: 1,204 pages done, 4 moved, 3 failed; 980 items",
        "    1,230 requests, 12 retries, 0 network errors, 42 MiB",
        "  in all: 2,400 pages known: 2,280 done, 15 moved, 5 failed, 100 waiting; 2,000 items, 14 hosts",
        "  failed:",
        "    5 × http-404: retrying gives the same result (404, broken page, too large)",
        "  waiting:",
        "    slow.example: 80 requests for 1 h (robots: crawl-delay)",
        "  hosts given up:",
        "    dead\\u{1b}[31m.example: 20 left, never answered; probed again by the next run",
        "  problems:",
        "    1 × handler start threw: no. 0",
        "    2 × handler start threw: no. 1",
        "    3 × handler start threw: no. 2",
        "    4 × handler start threw: no. 3",
        "    5 × handler start threw: no. 4",
        "    6 × handler start threw: no. 5",
        "    7 × handler start threw: no. 6",
        "    8 × handler start threw: no. 7",
        "    9 × handler start threw: no. 8",
        "    10 × handler start threw: no. 9",
        "    and 2 more",
      ]
    `)
  })
})

describe('the next step', () => {
  const counts = { known: 9, waiting: 3, done: 6, moved: 0, failed: 0, items: 6, hosts: 2, retiredHosts: 0, retired: 0 }
  const idle: Partial<CrawlReport> = {
    ended: 'done',
    resumed: true,
    closedPatterns: [],
    rejects: [],
    handlerErrors: [],
    refusedLinks: [],
    rounds: [],
    run: { ...crawlStatus().run, requests: 0 },
  }
  const typed = { outputs: ['-'], fresh: false, json: false, command: 'avocet' }
  const file = { title: '.avocet/x.db', path: '/work/.avocet/x.db' }
  const step = (changes: Partial<CrawlReport>, changed: Partial<Parameters<typeof nextStep>[1]>) =>
    nextStep({ ...idle, counts, ...changes } as Parameters<typeof nextStep>[0], { ...typed, ...changed })

  it.each([
    ['limit', file, '.avocet/x.db'],
    ['given-up', file, '.avocet/x.db'],
  ] as const)('is to end the pause of an operator first, where it ended by %s', (ended, where, store) => {
    const waiting = { counts: { ...counts, waiting: 3 }, paused: true } as const

    expect(step({ ...waiting, ended }, where).slice(-3)).toEqual([
      'an operator has paused the crawl; to end the pause:',
      `  avocet resume ${store}`,
      'then run the same command again (store: .avocet/x.db)',
    ])
  })

  it('is to resume the hosts that an operator has paused, before it is to run the crawl again', () => {
    const waiting = (...hostKeys: readonly string[]): readonly string[] =>
      step(
        {
          ended: 'patience',
          counts: { ...counts, waiting: 3 },
          ...(hostKeys.length > 0 && {
            pausedHosts: { count: hostKeys.length, first: hostKeys.map((hostKey) => ({ hostKey, until: Infinity })) },
          }),
        },
        file,
      )

    expect(waiting().join()).not.toContain('paused')
    expect(waiting('a.example').slice(-3)).toEqual([
      'an operator has paused a.example; to end the pause:',
      '  avocet host resume a.example .avocet/x.db',
      'to resume, run the same command again (store: .avocet/x.db)',
    ])
    expect(waiting('a.example', 'b.example').slice(-4)).toEqual([
      'an operator has paused 2 hosts; to list them, and to end the pause of one:',
      '  avocet hosts .avocet/x.db',
      '  avocet host resume a.example .avocet/x.db',
      'to resume, run the same command again (store: .avocet/x.db)',
    ])
  })

  it('is to accept the budget that was met', () => {
    const closedPatterns = [
      { pattern: '*.mall.example', reason: 'new-hosts', pages: 9, refused: 600 },
    ] as unknown as CrawlReport['closedPatterns']

    expect(step({ counts: { ...counts, waiting: 0 }, closedPatterns }, file).slice(0, 2)).toEqual([
      'to lift a budget, accept its pattern; the next visits of its pages, or a crawl with --fresh, follow all of their links:',
      `  avocet scope accept '*.mall.example' --store .avocet/x.db`,
    ])
  })

  it('names what was called, and the store, in every command for what a crawl left', () => {
    const closed = { pattern: 'shop.example/cal?d=*', reason: 'same-content', pages: 9, refused: 3 } as const
    const report = {
      closedPatterns: [closed],
      rejects: [],
      handlerErrors: [{ count: 2, handler: 'offer', station: 'handler', message: 'no price' }],
    } as unknown as Partial<CrawlReport>
    const lines = step(report, { ...file, command: 'npx avocet' })

    expect(lines.filter((line) => line.startsWith('  '))).toEqual([
      '  npx avocet failed list .avocet/x.db --class handler',
      "  npx avocet scope accept 'shop.example/cal?d=*' --store .avocet/x.db",
    ])
    expect(step(report, {}).join('\n')).not.toMatch(/failed|scope/)
    expect(step({ ...report, counts: { ...counts, again: 2 } }, file).join('\n')).toContain('failed list')
  })

  it('names what shows the page again, also where there was nothing to do', () => {
    const again = ['the page has ended with the crawl; to look at it again:', '  avocet ui .avocet/x.db']

    expect(step({}, { ...file, hadPage: true })).toEqual(expect.arrayContaining(again))
    expect(step({ run: crawlStatus().run }, { ...file, hadPage: true })).toEqual(
      expect.arrayContaining(['  avocet report .avocet/x.db', ...again]),
    )
    expect(step({}, { hadPage: true }).join()).not.toContain('avocet ui')
    expect(step({}, file).join()).not.toContain('avocet ui')
  })

  it('says that items are in a file only where they are, whoever writes it', () => {
    const done = { counts: { ...counts, waiting: 0 } }
    const sink = { name: '../out.jsonl', written: 6, behind: 0, setAside: 0, elsewhere: true as const }
    const typedOut = { ...file, outputs: ['out.jsonl'] }

    expect(step({ ...done, sinks: [sink] }, typedOut)).toContain('6 items in out.jsonl')
    const both = ['out.jsonl', 'new.csv']
    const written = new Map([
      ['out.jsonl', 4],
      ['new.csv', 2],
    ])
    expect(step(done, { ...typedOut, written })).toContain('4 items in out.jsonl')
    expect(step(done, { ...typedOut, outputs: both, written })).toContain('4 items in out.jsonl, 2 items in new.csv')
    expect(step({ ...done, sinks: [{ ...sink, written: 2, behind: 4 }] }, typedOut).join()).not.toContain('items in out')
  })

  it('is to go on while something waits that can be had', () => {
    expect(step({ ended: 'stopped' }, file)).toEqual(['to resume, run the same command again (store: .avocet/x.db)'])
    expect(step({ ended: 'stopped' }, {})).toEqual([])
  })

  it('is to ask the hosts that were given up again when all that is left waits there', () => {
    expect(step({ ended: 'given-up', counts: { ...counts, retired: 3 } }, file)).toEqual([
      'to probe the hosts that were given up, run the same command again (store: .avocet/x.db)',
    ])
  })

  it('is to start over when nothing was left to do', () => {
    const settled = { counts: { ...counts, waiting: 0 } }
    const end = 'starts over, new seeds are crawled'

    expect(step(settled, file)).toEqual([`nothing to do: no known URL is waiting; --fresh ${end}`])
    expect(step(settled, { title: "the configuration's own" })).toEqual([
      `nothing to do: no known URL is waiting; an empty store (the configuration's own) ${end}`,
    ])
  })

  it('is to have a page rendered that was all there was, and has no links', () => {
    const one = { counts: { ...counts, known: 2, waiting: 0, done: 1, moved: 1 }, refusedLinks: [] }
    const line = 'the only page links to no other; if a script makes its links, a configuration with browser renders it'
    const refused = [{ rule: 'off-host', count: 1, hosts: [], others: 1 }]

    expect(step(one, { ...file, ofUrls: true })).toContain(line)
    expect(step(one, file)).not.toContain(line)
    expect(step({ ...one, refusedLinks: refused }, { ...file, ofUrls: true })).not.toContain(line)
    expect(step({ counts: { ...counts, waiting: 0 } }, { ...file, ofUrls: true })).not.toContain(line)
  })

  it('is to look at what was done, where something was done and can be looked at', () => {
    const done = { counts: { ...counts, waiting: 0 }, run: crawlStatus().run }

    expect(step(done, file)).toEqual([
      'for rates, refusals, and how each host was treated (--html FILE writes a page):',
      '  avocet report .avocet/x.db',
    ])
    expect(step(done, { title: "the configuration's own" })).toEqual([])
    expect(step(done, {})).toEqual([])
  })

  it('says where the items are: in the files, in the store, or nowhere', () => {
    const done = { resumed: false, counts: { ...counts, waiting: 0 } }

    expect(step(done, { ...file, outputs: ['a.jsonl', '-', 'b c.csv'] })).toEqual(['6 items in a.jsonl, b c.csv'])
    expect(step(done, { ...file, outputs: [] })).toEqual([
      '6 items in the store; to write them to a file:',
      '  avocet export .avocet/x.db -O items.jsonl',
    ])
    expect(step(done, { outputs: [] })).toEqual([
      '6 items not kept: the store was in memory; to write items to a file, add -O items.jsonl',
    ])
    const sinks = [{ name: 'pg', written: 6, behind: 0, setAside: 0 }]
    expect(step({ ...done, sinks }, { outputs: [] })).toEqual([])
    expect(step({ ...done, counts: { ...done.counts, items: 0 } }, { ...file, outputs: [] })).toEqual([
      'no items; to see what a handler yields for a page:',
      '  avocet parse URL',
    ])
  })

  it('is to look at the failed pages where no page succeeded', () => {
    const failed = { ended: 'done', run: { ...crawlStatus().run, requests: 2 } } as const
    const none = { ...counts, known: 1, waiting: 0, done: 0, items: 0, failed: 1 }

    expect(step({ ...failed, counts: none }, file).slice(0, 2)).toEqual([
      'no page succeeded; to see which failed, and how to retry:',
      '  avocet failed list .avocet/x.db',
    ])
    expect(step({ ...failed, counts: { ...none, done: 1 } }, file).join()).not.toContain('no page succeeded')
  })

  it('names the failed pages with the store that they are in', () => {
    expect(step({ counts: { ...counts, waiting: 0, failed: 2 } }, file).slice(1)).toEqual([
      'to see which pages failed, and how to retry:',
      '  avocet failed list .avocet/x.db',
    ])
  })

  it('is a command that works where it is pasted', () => {
    const spaced = { title: 'my crawls/x.db', path: '/work/my crawls/x.db', outputs: [] }
    const again = step({ ended: 'stopped' }, { ...file, fresh: true })

    expect(step({ resumed: false, counts: { ...counts, waiting: 0 } }, { ...spaced, command: 'npx avocet' })[1]).toBe(
      "  npx avocet export 'my crawls/x.db' -O items.jsonl",
    )
    expect(again).toEqual(['to resume, run the same command again without --fresh (store: .avocet/x.db)'])
    const calledWith = (env: NodeJS.ProcessEnv): string => {
      calledFrom(env)
      return commandName()
    }
    expect([{ npm_command: 'exec' }, {}].map(calledWith)).toEqual(['npx avocet', 'avocet'])
  })
})
