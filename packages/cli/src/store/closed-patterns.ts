// The closed patterns of a store, from its hosts' memory at rest, and those that its user opened again.
import type { FrontierReader } from '@avocet/core/store'
import { closedAtRest, GAINS_PART, hostsOf, mostRefused, Orders, type ClosedPattern } from '@avocet/core/tools'

/** Those most refused, at most 100. */
export async function closedPatternsOf(reader: FrontierReader): Promise<readonly ClosedPattern[]> {
  return mostRefused(await allClosedOf(reader))
}

/** All that are closed and not accepted. */
export async function allClosedOf(reader: FrontierReader): Promise<ClosedPattern[]> {
  const { accepted } = await Orders.of(reader)
  const closed: ClosedPattern[] = []
  for await (const { hostKey, memory } of hostsOf(reader, [GAINS_PART])) closed.push(...closedAtRest(hostKey, memory[GAINS_PART]))
  return closed.filter(({ pattern }) => !accepted.has(pattern))
}
