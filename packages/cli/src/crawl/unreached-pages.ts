// The frontier of a replay that goes on, when all that the links of today lead to is settled, with pages that they do not lead to.
import type { Spider } from '@avocet/core'
import type { Frontier, FrontierReader, NewRequest } from '@avocet/core/store'
import { compileScope, lastScope } from '@avocet/core/tools'

/** Whether a page belongs to the crawl. */
export type IsInScope = (page: Pick<NewRequest, 'url' | 'hostKey' | 'depth'>) => boolean

/** By the scope of `spider`, and the seeds that a run of it left in the store of `reader`. */
export async function scopeOf({ scope = {} }: Pick<Spider, 'scope'>, reader: FrontierReader): Promise<IsInScope> {
  const last = lastScope(await reader.crawlMemories())
  // Of more seeds than a store keeps, nobody knows the hosts.
  const isWhole = last?.scope !== undefined
  const compiled = compileScope(isWhole ? scope : { ...scope, within: 'any' }, last?.seedHosts ?? [], () => {})
  return ({ url, hostKey, depth }) => compiled.refusal(url, hostKey, depth) === undefined
}

/** `more` gives what comes next once nothing waits; none where there is nothing more. A call that failed is made again. */
export function withMore(frontier: Frontier, more: () => Promise<readonly NewRequest[]>): Frontier {
  let next: readonly NewRequest[] | undefined
  let isAtIt = false
  const goOn = async (): Promise<readonly NewRequest[]> => {
    if (isAtIt || (await frontier.reader.counts()).waiting > 0 || isAtIt) return []
    isAtIt = true
    try {
      next ??= await more()
      const added = next
      if (added.length > 0) await frontier.add(added)
      next = undefined
      return added
    } finally {
      isAtIt = false
    }
  }
  return {
    ...frontier,
    async lease(want) {
      const found = await frontier.lease(want)
      return found.leases.length > 0 || (await goOn()).length === 0 ? found : frontier.lease(want)
    },
    async commit(units) {
      const results = await frontier.commit(units)
      // What is committed must not be committed again because this failed: the next lease makes up for it.
      const added = await goOn().catch(() => [])
      const last = results.at(-1)
      return last === undefined || added.length === 0
        ? results
        : [...results.slice(0, -1), { ...last, gained: gainedOf(last, added) }]
    },
  }
}

function gainedOf({ gained }: { readonly gained: Gained }, added: readonly NewRequest[]): Gained {
  const byHost = Map.groupBy(added, ({ hostKey }) => hostKey)
  const more = [...byHost].map(([hostKey, requests]) => ({
    hostKey,
    count: requests.length,
    topPriority: Math.max(...requests.map(({ priority }) => priority)),
  }))
  return [...gained, ...more]
}

type Gained = Awaited<ReturnType<Frontier['commit']>>[number]['gained']
