// A frontier that reports its commits to the supervisor: only what is committed outlives the process.
import { isHandledPage, type Frontier } from '@avocet/core/store'
import type { FromWorker } from './process-messages.ts'

/** Messages to the supervisor. */
type CommitMessage = Extract<FromWorker, { readonly kind: 'committing' | 'committed' }>

/**
 * The frontier, telling of the pages that count for `maxPages`: before each group, and after it. A page that is read again for its links counts once more:
 * where its process dies, the crawl may end that much short.
 */
export function toldCommits(frontier: Frontier, send: (message: CommitMessage) => void): Frontier {
  return {
    ...frontier,
    async commit(units) {
      send({ kind: 'committing', pages: units.filter(({ outcome }) => isHandledPage(outcome)).length })
      const results = await frontier.commit(units)
      send({
        kind: 'committed',
        pages: units.filter(({ outcome }, n) => isHandledPage(outcome) && results[n]?.status === 'committed').length,
      })
      return results
    },
  }
}
