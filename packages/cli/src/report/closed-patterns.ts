// The closed patterns of a store, from its hosts' memory at rest.
import { closedAtRest, GAINS_PART, hostsOf, mostRefused, type ClosedPattern, type FrontierReader } from '@avocet/core'

/** Those most refused, at most 100. */
export async function closedPatternsOf(reader: FrontierReader): Promise<readonly ClosedPattern[]> {
  const closed: ClosedPattern[] = []
  for await (const { hostKey, memory } of hostsOf(reader)) closed.push(...closedAtRest(hostKey, memory[GAINS_PART]))
  return mostRefused(closed)
}
