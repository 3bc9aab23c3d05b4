// The warning for many more processes than cores. They are started all the same: the user may know better.
import { availableParallelism } from 'node:os'
import { formatCount } from '../text/quantity.ts'

/** Up to so many per core there is no warning: while one waits for its disk, another can use the core. */
const MAX_PER_CORE = 2

/** The warning; undefined up to two per core. `cores`: by default those that the system lets this process use. */
export function crowdedLine(count: number, cores: number = availableParallelism()): string | undefined {
  if (count <= MAX_PER_CORE * cores) return undefined
  const on = cores === 1 ? 'one core' : `${formatCount(cores)} cores`
  return `starting ${formatCount(count)} processes on ${on}: more than two per core take memory and make no crawl faster; --processes auto starts one per core`
}
