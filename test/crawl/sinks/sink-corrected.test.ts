// An item that was set aside by a sink that keeps an older mark, and that the sink takes once it is corrected.
import { memoryFrontier } from 'avocet'
import { ItemsRefused, type Sink, type SinkItem } from '@avocet/core/sink'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'

const SEEDS = Array.from({ length: 10 }, (_, n) => `http://shop.test/${n}`)
const SCRIPT = Object.fromEntries(SEEDS.map((url) => [url, {}]))

/** Gathers rows in RAM, and keeps them all in `finish`: a file that is complete or not there. */
function gatherer(kept: string[], { refuses = '', dies = false }: { readonly refuses?: string; readonly dies?: boolean }): Sink {
  let rows: string[] = []
  let end = 0
  const pathOf = ({ value }: SinkItem): string => (value as { readonly path: string }).path
  return {
    name: 'gatherer',
    write({ items, mark }) {
      const refused = items.filter((item: SinkItem) => pathOf(item) === refuses)
      if (refused.length > 0) throw new ItemsRefused(new Map(refused.map(({ key }) => [key, 'too long'])))
      rows.push(...items.map(pathOf))
      end = Math.max(end, mark.itemSeq)
      return { mark: { itemSeq: 0 } }
    },
    finish() {
      if (dies) throw new Error('killed')
      kept.push(...rows)
      rows = []
      return { mark: { itemSeq: end } }
    },
  }
}

it('is written once, when the run that set it aside was killed before it kept what it gathered', async () => {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const kept: string[] = []
  const runWith = (sink: Sink) => run(SCRIPT, { spider: pathSpider(SEEDS), sinks: [sink], clock, frontier, delayMs: 0 })

  await runWith(gatherer([], { refuses: '/3', dies: true }))
  const { report } = await runWith(gatherer(kept, {}))
  await runWith(gatherer(kept, {}))

  expect(kept.toSorted()).toEqual(SEEDS.map((url) => new URL(url).pathname))
  expect(report.sinks).toMatchObject([{ written: 10, behind: 0, setAside: 0 }])
})
