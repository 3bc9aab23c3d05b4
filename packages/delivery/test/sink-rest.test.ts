// How long a delivery rests: until a batch is full, its first item has waited for long enough, a moment has come, or somebody wakes it.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { SinkRest } from '../src/sink-rest.ts'

const LIMITS = { maxItems: 10, maxBytes: 1_000, maxWaitMs: 500, timeoutMs: 60_000 }

/** Rests; `steps` happen meanwhile, each so many ms after the beginning. Gives how long it took. */
async function rested(
  { forMs = Infinity, isIdle = true, before }: { forMs?: number; isIdle?: boolean; before?: (rest: SinkRest) => void },
  ...steps: readonly (readonly [number, (rest: SinkRest) => void])[]
): Promise<number> {
  const clock = new VirtualClock()
  const rest = new SinkRest(clock, LIMITS)
  return clock.run(async () => {
    const from = clock.now()
    before?.(rest)
    for (const [ms, step] of steps) clock.at(from + ms, () => step(rest))
    await rest.until(from + forMs, isIdle)
    return clock.now() - from
  })
}

describe('an idle rest', () => {
  it.each([
    ['of one item when that has waited for maxWaitMs', [[100, 1, 10]], 600],
    [
      'of items that come one by one, when the first has waited',
      [
        [100, 1, 10],
        [300, 1, 10],
        [550, 1, 10],
      ],
      600,
    ],
    [
      'of as many items as a batch has at once',
      [
        [100, 9, 10],
        [200, 1, 10],
      ],
      200,
    ],
    [
      'of as many bytes as a batch has at once',
      [
        [100, 1, 10],
        [250, 1, 990],
      ],
      250,
    ],
    ['without items when its moment comes', [], 5_000],
  ] as const)('ends %s', async (_what, commits, tookMs) => {
    const steps = commits.map(([ms, items, bytes]) => [ms, (rest: SinkRest) => rest.committed(items, bytes)] as const)

    expect(await rested({ forMs: 5_000 }, ...steps)).toBe(tookMs)
  })

  it('knows of items from before it, and forgets them when the store was looked at', async () => {
    const before = (rest: SinkRest): void => rest.committed(10, 10)
    const looked = (rest: SinkRest): void => {
      before(rest)
      rest.looked()
    }

    expect(await rested({ forMs: 5_000, before })).toBe(0)
    expect(await rested({ forMs: 5_000, before: looked })).toBe(5_000)
  })

  it('counts items that a look found, and a batch left, from when they came', async () => {
    const leaving = (rest: SinkRest): void => {
      rest.committed(3, 30)
      rest.looked()
      rest.forMore({ items: 3, bytes: 30 })
    }

    expect(await rested({ before: leaving })).toBe(500)
    expect(await rested({ before: leaving }, [200, (rest) => rest.committed(7, 70)])).toBe(200)
  })
})

describe('a rest after a failure', () => {
  it('is not cut short by items', async () => {
    expect(await rested({ forMs: 2_000, isIdle: false }, [100, (rest) => rest.committed(50, 5_000)])).toBe(2_000)
  })

  it('ends when it is woken, also before it began', async () => {
    const wake = (rest: SinkRest): void => rest.wake()

    expect(await rested({ forMs: 2_000, isIdle: false }, [100, wake])).toBe(100)
    expect(await rested({ forMs: 2_000, isIdle: false, before: wake })).toBe(0)
  })
})
