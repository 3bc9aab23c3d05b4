// The filter of a sink: what it throws on, and what it must not give.
import { memoryFrontier } from 'avocet'
import { sink, type Sink } from '@avocet/core/sink'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'

const SEEDS = Array.from({ length: 10 }, (_, n) => `http://shop.test/${n}`)
const SCRIPT = Object.fromEntries(SEEDS.map((url) => [url, {}]))

function numbers(wanted: (n: number) => unknown): { readonly sink: Sink; readonly got: number[] } {
  const got: number[] = []
  const numberOf = (value: unknown): number => Number((value as { readonly path: string }).path.slice(1))
  const made = sink((items) => void got.push(...items.map(({ value }) => numberOf(value))), {
    name: 'numbers',
    filter: ({ value }) => wanted(numberOf(value)) as boolean,
  })
  return { sink: made, got }
}

/** A crawl of ten pages, and a run for each further sink. */
async function runs(sinks: readonly Sink[]) {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  let report
  for (const each of sinks) {
    ;({ report } = await run(SCRIPT, { spider: pathSpider(SEEDS), sinks: [each], delayMs: 0, clock, frontier }))
  }
  return report?.sinks
}

const broken = (): never => {
  throw new Error('no price')
}

describe('the filter of a sink', () => {
  it('that throws on items has them set aside', async () => {
    const { sink: thrower, got } = numbers(broken)

    const sinks = await runs([thrower])

    expect(got).toEqual([])
    expect(sinks).toMatchObject([{ written: 0, behind: 0, setAside: 10 }])
  })

  it('that gives a promise passes no item: all are set aside, also where the promise is rejected', async () => {
    const late = numbers((n) => (n === 3 ? Promise.reject(new Error('late')) : Promise.resolve(false)))

    const sinks = await runs([late.sink])

    expect(late.got).toEqual([])
    expect(sinks).toMatchObject([{ written: 0, behind: 0, setAside: 10 }])
  })

  it('cannot be an async function', async () => {
    const filter = (async () => false) as unknown as () => boolean
    const expected = 'filter to answer at once, got an async function; remove async'

    await expect(runs([sink(() => {}, { name: 'late', filter })])).rejects.toThrow(expected)
  })
})
