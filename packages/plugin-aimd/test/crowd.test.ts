// Eight whole crawls that do not know of each other, on the quota of one host; on virtual time. bench/strangers has more of them, and other quotas.
import { crawl, memoryFrontier, spider } from 'avocet'
import { aimd } from '@avocet/plugin-aimd'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { withOthers } from '../src/laws/harm-budget-crowd.ts'
import { freshHarmBudget, type HarmBudgetState } from '../src/laws/harm-budget-state.ts'

const CRAWLS = 8
const PER_SECOND = 4
const FOR_MS = 80 * 60_000

it('shares the quota of a host with seven crawls that it does not know of', async () => {
  const model = siteModel({
    seed: 'crowd',
    hosts: [
      {
        name: 'quota.test',
        pages: { kind: 'list', pages: 5_000, textBytes: 0 },
        capacity: { law: 'bucket', perSecond: PER_SECOND, burst: 8 },
        refusal: { status: 429 },
      },
    ],
  })
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const served = Array.from({ length: CRAWLS }, () => 0)
  const before: number[] = []
  const runs = served.map((_, n) =>
    crawl({
      policies: [],
      plugins: [aimd()],
      spider: spider({
        name: `stranger-${n}`,
        seeds: model.seeds(),
        handlers: {
          *start(page) {
            served[n] = (served[n] ?? 0) + 1
            if (page.isHtml) yield* page.links()
          },
        },
      }),
      clock,
      fetcher: web,
      frontier: memoryFrontier(),
      randomSeed: `stranger ${n}`,
    }),
  )
  using _half = clock.at(clock.now() + FOR_MS / 2, () => before.push(...served))
  using _end = clock.at(clock.now() + FOR_MS, () => runs.forEach((run) => run.abort()))
  await clock.run(() => Promise.all(runs.map((run) => run.run())))

  const { refused, requests } = web.felt('quota.test')
  const late = served.map((pages, n) => pages - (before[n] ?? 0))
  const total = late.reduce((sum, pages) => sum + pages, 0)
  const jain = total ** 2 / (CRAWLS * late.reduce((sum, pages) => sum + pages ** 2, 0))
  expect(total).toBeGreaterThan((0.9 * PER_SECOND * FOR_MS) / 2_000)
  expect(refused / requests).toBeLessThan(0.04)
  expect(jain).toBeGreaterThan(0.9)
})

it('gives each host of the processes that are known the same, and a process without a rate of its own no part', () => {
  const at = (rps: number): HarmBudgetState => ({
    ...freshHarmBudget({ startRps: 1, minRps: 0.02, maxRps: 100 }),
    ...{ rps, baseRps: rps, knownRps: rps },
  })
  const [own, other, fresh] = [
    { state: at(9), hosts: 30 },
    { state: at(3), hosts: 90 },
    { state: at(0), hosts: 5 },
  ]
  const all = [own, other, fresh]

  expect(withOthers(own, all)).toMatchObject({ rps: 3, baseRps: 3, known: 2 })
  expect(withOthers(other, all)).toMatchObject({ rps: 9, baseRps: 9, known: 2 })
  expect(withOthers(fresh, all)).toBe(fresh.state)
  // Not heard of itself, it keeps what the others have for as many hosts.
  expect(withOthers(own, [other])).toMatchObject({ rps: 1 })
})
