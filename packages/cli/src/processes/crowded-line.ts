// What is said where far more processes were wished for than there are cores: it is done all the same, for who asks may know better.
import { availableParallelism } from 'node:os'
import { formatCount } from '../text/quantity.ts'

/** Processes for each core that pass without a word: one that waits for its disk leaves its core to another. */
const MAX_PER_CORE = 2

/** The line; undefined where there is nothing to say. `cores`: by default those that the system lets this process use. */
export function crowdedLine(count: number, cores: number = availableParallelism()): string | undefined {
  if (count <= MAX_PER_CORE * cores) return undefined
  const on = cores === 1 ? 'one core' : `${formatCount(cores)} cores`
  return `starting ${formatCount(count)} processes on ${on}: more than one per core takes memory and makes no crawl faster; --processes auto starts one per core`
}
