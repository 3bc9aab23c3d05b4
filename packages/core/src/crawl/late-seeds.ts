// Seeds that a function yields while the crawl runs: their hosts have more to do.
import type { CheckedSeed } from '../discovery/seeds.ts'
import type { Run } from '../run/run.ts'
import { hostKeyOf } from '../url/host-key.ts'
import type { Engine } from './engine.ts'

/** `seeds` are in the store: `added` of them were new. */
export function takeLateSeeds(
  engine: Engine,
  run: Run,
  { added, seeds }: { added: number; seeds: readonly CheckedSeed[] },
): void {
  run.tally.seeded(added)
  // Which of them were new nobody said, unless all were.
  const count = added === seeds.length ? 1 : 0
  const { hostKeying } = run.settings
  engine.window.gained(seeds.map(({ url }) => ({ hostKey: hostKeyOf(url, hostKeying), count, topPriority: -Infinity })))
  engine.go()
}
