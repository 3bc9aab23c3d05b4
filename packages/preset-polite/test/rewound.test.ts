// Memory that was written by a clock that was ahead: what all policies together remember of hosts in trouble, moved back, is what they would have
// remembered had the clock been right.
import { crawl, memoryFrontier, spider, type Json, type Plugin } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { movedBack } from '../../core/src/values/setback.ts'
import { polite } from '../src/index.ts'

const RIGHT = 1_767_225_600_000
const AHEAD_MS = 7_200_000
const policies = (): readonly Plugin[] => polite()

const latency = { law: 'fixed', ms: 100 } as const
const pages: HostSpec['pages'] = { kind: 'list', pages: 60 }
const hosts: readonly HostSpec[] = [
  { name: 'well.test', pages, latency },
  {
    name: 'busy.test',
    pages,
    latency,
    capacity: { law: 'window', requests: 5, seconds: 20 },
    refusal: { status: 429, retryAfter: 'seconds' },
  },
  { name: 'down.test', pages, latency, outages: [{ style: 'reset', fromMs: 5_000, untilMs: 300_000 }] },
  { name: 'dead.test', pages, death: 'refuse' },
]

/** Memory of each host and part, after 40 s by a clock that shows `startAt` at first. */
async function remembered(startAt: number): Promise<ReadonlyMap<string, Json>> {
  const clock = new VirtualClock({ startAt })
  const model = siteModel({ seed: 'rewound', hosts })
  const frontier = memoryFrontier()
  const run = crawl({
    policies: [],
    spider: spider({
      name: 'rewound',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          yield* page.links()
        },
      },
    }),
    plugins: policies(),
    clock,
    fetcher: simulatedWeb(model, { clock }),
    frontier,
    randomSeed: 'rewound',
  })
  using _end = clock.at(startAt + 40_000, () => run.abort())
  await clock.run(() => run.run())
  const found = new Map<string, Json>()
  for (const { name } of hosts)
    for (const [part, text] of Object.entries((await frontier.reader.hosts({ hostKey: name }))[0]?.memory ?? {}))
      if (!part.startsWith('#')) found.set(`${name} ${part}`, (JSON.parse(text) as [number, Json])[1])
  return found
}

/** Moments rounded to what a bucket of 10 s hides. */
const blurred = (memory: Json): Json =>
  JSON.parse(
    JSON.stringify(memory, (key, value: unknown) => {
      // Numbers of buckets: where the breaker is again once something ends.
      if (key === 'bucket') return undefined
      return typeof value === 'number' && value > 1e12 ? Math.round(value / 10) : value
    }),
  ) as Json

describe('memory of a clock that was ahead, moved back,', async () => {
  const right = await remembered(RIGHT)
  const ahead = await remembered(RIGHT + AHEAD_MS)

  it.each(policies().map(({ name }) => name))('is what %s would have written', (name) => {
    const parts = hosts.map((host) => `${host.name} ${name}`).filter((part) => right.has(part))
    expect(parts.length).toBeGreaterThan(0)
    for (const part of parts) {
      const moved = movedBack(ahead.get(part) as Json, AHEAD_MS)
      expect(blurred(moved), part).toEqual(blurred(right.get(part) ?? null))
    }
  })
})
