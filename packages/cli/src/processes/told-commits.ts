// A frontier of which the supervisor hears what is committed: only that outlives the process.
import type { CommitUnit, Frontier } from '@avocet/core/store'
import type { FromWorker } from './process-messages.ts'

/** What is sent of it. */
type CommitMessage = Extract<FromWorker, { readonly kind: 'committing' | 'committed' }>

/** The frontier, telling of the pages that count for `maxPages`: before each group, and after it. */
export function toldCommits(frontier: Frontier, send: (message: CommitMessage) => void): Frontier {
  return {
    ...frontier,
    async commit(units) {
      send({ kind: 'committing', pages: units.filter(isPage).length })
      const results = await frontier.commit(units)
      send({ kind: 'committed', pages: units.filter((unit, n) => isPage(unit) && results[n]?.status === 'committed').length })
      return results
    },
  }
}

/** As a run counts them: those that a handler got, also where it failed. */
function isPage({ outcome }: CommitUnit): boolean {
  return outcome?.kind === 'done' || (outcome?.kind === 'failed' && outcome.failure?.phase === 'handler')
}
