// What is remembered of runs, within its bounds.
import { definePlugin, memoryFrontier, spider, crawl } from 'avocet'
import { atRest } from '@avocet/at-rest'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { journal, runsOf, type JournalRun } from '../src/index.ts'
import { freshRuns, mergedRuns, runBegins, runGoesOn, type BeginningRun } from '../src/runs.ts'

const session = (now: number, plugins: BeginningRun['plugins'] = []): BeginningRun => ({
  now,
  userAgent: 'bot/1',
  plugins,
  hostOptions: {},
})

const run = (startedAt: number, lastAt = startedAt): JournalRun => ({ startedAt, lastAt, userAgent: 'bot/1', plugins: [] })

describe('runs', () => {
  it('are remembered with what ran, and the last ten of them', () => {
    const memory = freshRuns()
    for (let n = 1; n <= 12; n++) runBegins(memory, session(n, [{ name: 'robots', policy: 'robots', options: { ignore: true } }]))

    expect(memory.runs.map(({ startedAt }) => startedAt)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(memory.runs.at(-1)).toEqual({
      startedAt: 12,
      lastAt: 12,
      userAgent: 'bot/1',
      plugins: [{ name: 'robots', policy: 'robots', options: { ignore: true } }],
    })
  })

  it('take few characters, whatever plugins say of themselves, and whether robots.txt was ignored is kept', () => {
    const memory = freshRuns()
    const options = { ignore: true, text: 'x'.repeat(100_000) }
    runBegins(
      memory,
      session(
        1,
        Array.from({ length: 500 }, (_, n) => ({ name: `plugin-${n}`, options })),
      ),
    )

    expect(JSON.stringify(memory).length).toBeLessThan(4_000)
    expect(memory.runs[0]?.plugins[0]).toEqual({ name: 'plugin-0', options: { ignore: true } })
  })

  it('are one where processes crawl a store at the same time: it began with the first', () => {
    const first = freshRuns()
    runBegins(first, session(1_000))
    const [second, later] = [mergedRuns(freshRuns(), first), mergedRuns(freshRuns(), first)]

    runBegins(second, session(3_000), [{ core: '[1,{}]' }, { journal: JSON.stringify([1, first]) }])
    runBegins(later, session(3_000))

    expect(second).toEqual({ startedAt: 1_000, runs: [run(1_000, 3_000)] })
    expect(later.runs).toEqual([run(1_000), run(3_000)])
  })

  it('know their last exchange to the minute, so that they are not written with each', () => {
    const memory = freshRuns()
    runBegins(memory, session(1_000))
    const before = memory.runs

    runGoesOn(memory, 30_000)
    expect(memory.runs).toBe(before)
    runGoesOn(memory, 61_000)
    expect(memory.runs).toEqual([run(1_000, 61_000)])
  })

  it('of several processes are joined, each once and as it was seen last', () => {
    const [a, b] = [
      { startedAt: 5, runs: [run(1), run(5)] },
      { startedAt: 3, runs: [run(1, 9), run(3)] },
    ]

    expect(mergedRuns(a, b)).toEqual({ startedAt: 5, runs: [run(1, 9), run(3), run(5)] })
    expect(mergedRuns(b, a)).toEqual(mergedRuns(a, b))
  })

  it('are read back from the store of a crawl, and none where the journal was not part of it', async () => {
    const model = siteModel({ seed: 'runs', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 2 } }] })
    const clock = new VirtualClock()
    const own = definePlugin({ name: 'own-pace', policy: 'rate', options: { everyMs: 100 } })
    const frontier = memoryFrontier()
    const subject = crawl({
      policies: [],
      spider: spider({ name: 'runs', seeds: model.seeds(), handlers: { *start() {} } }),
      frontier,
      clock,
      fetcher: simulatedWeb(model, { clock }),
      plugins: [own, journal()],
      userAgent: 'bot/2',
      hosts: { '*': { maxRps: 2 } },
    })
    await clock.run(() => subject.run())

    expect(runsOf(await atRest(frontier.reader))).toMatchObject([
      {
        userAgent: 'bot/2',
        hostOptions: { maxRps: 2 },
        plugins: [{ name: 'own-pace', policy: 'rate', options: { everyMs: 100 } }, { name: 'journal' }, { name: 'traps' }],
      },
    ])
    expect(runsOf(await atRest(memoryFrontier().reader))).toEqual([])
  })
})
