// Avocet as a contestant: a whole crawl with `polite()`, as the command has it, over the same fetcher and clock as the patterns.
import { crawl, memoryFrontier, spider, type Crawl } from 'avocet'
import { polite } from '@avocet/preset-polite'
import type { Ground, Pattern } from './ground.ts'

/** What differs between the Avocets in the table. */
export interface AvocetOptions {
  readonly slots?: number
  readonly ignoreRobots?: boolean
  /** Of all chance in the crawl. */
  readonly randomSeed?: string
}

/** A pattern like the others. Time in a slot that is not spent on the wire is measured, not taken for 0. */
export function avocet({ slots = 100, ignoreRobots = true, randomSeed = 'patterns' }: AvocetOptions = {}): Pattern {
  return async (ground) => {
    const run = crawl({
      spider: spider({ name: 'patterns', seeds: ground.urls, handlers: { *start() {} } }),
      policies: polite(ignoreRobots ? { robots: false } : {}),
      frontier: memoryFrontier(),
      concurrency: slots,
      randomSeed,
      clock: ground.clock,
      fetcher: ground.fetcher,
      allowPrivate: true,
    })
    measureParking(run, ground)
    await run.run()
  }
}

/** A slot is held from the booking to the end of the exchange; the part of it before the fetcher had it is parked. */
function measureParking(run: Crawl, ground: Ground): void {
  const bookedAt = new Map<string, number>()
  run.hooks.onAdmit.tap('patterns', ({ host, seq }) => void bookedAt.set(`${host.key} ${String(seq)}`, ground.clock.now()))
  run.hooks.beforeRequest.tap({ name: 'patterns', stage: Infinity }, ({ exchange: { host, seq } }) => {
    const key = `${host.key} ${String(seq)}`
    ground.parkedMs += ground.clock.now() - (bookedAt.get(key) ?? Number.NaN)
    bookedAt.delete(key)
  })
}
