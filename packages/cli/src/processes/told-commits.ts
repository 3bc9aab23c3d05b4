// A frontier that reports its commits to the supervisor: only what is committed outlives the process.
import { isHandledPage, type CommitUnit, type Frontier } from '@avocet/core/store'
import { committedBy } from './committed.ts'
import type { FromWorker } from './process-messages.ts'

/** Messages to the supervisor. */
type CommitMessage = Extract<FromWorker, { readonly kind: 'committing' | 'committed' }>

/** The frontier, telling of each group before and after it is committed: what it adds to the counts of the run, and its pages that count for `maxPages`. */
export function toldCommits(frontier: Frontier, send: (message: CommitMessage) => void): Frontier {
  return {
    ...frontier,
    async commit(units) {
      send({ kind: 'committing', ...partsOf(units) })
      const results = await frontier.commit(units)
      send({ kind: 'committed', ...partsOf(units.filter((_, n) => results[n]?.status === 'committed')) })
      return results
    },
  }
}

function partsOf(units: readonly CommitUnit[]): Pick<CommitMessage, 'pages' | 'did'> {
  return { pages: units.filter(({ outcome }) => isHandledPage(outcome)).length, did: committedBy(units) }
}
