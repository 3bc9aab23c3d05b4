// What the last run of a crawl went by, such as the source of its spider, and whether this run goes by something else: kept in the memory of the crawl.
//
// Pages that were crawled keep their items, whatever this run would make of them. Nobody sees that in the items, so it is said. What is kept is that of the
// last run that had an answer: a run that finds nothing to do leaves it, so that the next one says it again.
import { definePlugin, type Plugin } from '@avocet/core'

/** What is compared from run to run. */
interface Compared<Facts> {
  /** Of the plugin, and of its part of the memory of the crawl. */
  readonly name: string
  /** Of this run: plain JSON. */
  readonly facts: Facts
  isSame(last: Facts, now: Facts): boolean
}

/** The last run of a crawl, as far as it is compared. */
export interface LastRun<Facts> {
  /** Keeps the facts, and compares them as the crawl opens. */
  readonly plugin: Plugin
  /** Those of the last run, if they differ. Known once the plugin has opened. */
  differing(): Facts | undefined
}

/** Crawl memory. `facts` null: there was no run with an answer. `at`: epoch ms. */
interface Memory<Facts> {
  facts: Facts | null
  at: number
}

/** Compares them. */
export function lastRun<Facts extends object>({ name, facts, isSame }: Compared<Facts>): LastRun<Facts> {
  let differs: Facts | undefined
  const note = (memory: Memory<Facts>, now: number): void => void Object.assign(memory, { facts, at: Math.round(now) })
  const plugin = definePlugin<undefined, Memory<Facts>>({
    name,
    outsideEffects: false,
    crawlMemory: () => ({ facts: null, at: 0 }),
    merge: (a, b) => (a.at >= b.at ? a : b),
    open({ info, now }, memory) {
      if (info.settled === 0) note(memory, now)
      else if (memory.facts !== null && !isSame(memory.facts, facts)) differs = memory.facts
    },
    // Before the page is committed: what is learned behind the last commit is not written.
    onResponse({ now }, _host, memory) {
      if (memory.facts === null || !isSame(memory.facts, facts)) note(memory, now)
    },
  })
  return { plugin, differing: () => differs }
}
