// The filter of a sink: what it leaves out does not come by another way.
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
    await frontier.rejects.retry({})
  }
  return report?.sinks
}

const broken = (): never => {
  throw new Error('no price')
}

describe('the filter of a sink', () => {
  it('is asked about items that are handed over again, and leaves them out', async () => {
    const [first, second] = [numbers(broken), numbers((n) => n >= 7)]

    const sinks = await runs([first.sink, second.sink])

    expect([first.got, second.got]).toEqual([[], [7, 8, 9]])
    expect(sinks).toMatchObject([{ written: 3, behind: 0, setAside: 0 }])
  })

  it('that throws on them again has them set aside again', async () => {
    const [first, second] = [numbers(broken), numbers(broken)]

    const sinks = await runs([first.sink, second.sink])

    expect(second.got).toEqual([])
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
    const expected = 'filter to give true or false at once, got an async function; remove async'

    expect(() => sink(() => {}, { name: 'late', filter })).toThrow(`expected sink: ${expected}`)
    const own: Sink = { name: 'own', filter, write: () => {} }
    await expect(runs([own])).rejects.toThrow(expected)
  })
})
