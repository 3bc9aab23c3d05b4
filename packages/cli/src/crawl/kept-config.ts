// The configuration of a replay: that of the crawl, with kept responses in place of the web.
import { definePlugin, unpaced, type RunnableConfig } from '@avocet/core'
import type { Fetcher } from '@avocet/core/store'
import type { KeptResponses } from '../store-kinds/store-files.ts'
import { isKeptLoggedOut, withoutLogin } from './kept-logins.ts'
import { servedAs, withKeptVisits } from './kept-visits.ts'

/** The reason with which a page that is not kept fails in the replay. */
export const NOT_KEPT = 'not-kept'

/** Responses that a replay wants and does not have. */
export interface LostResponses {
  /** That cannot be read. */
  damaged: number
  /** Of seeds. */
  seeds: number
}

/**
 * Its configuration: without what concerns hosts, and without what plugins do to them. A kept response that cannot be read counts
 * as not kept.
 */
export function configOfKept(config: RunnableConfig, kept: KeptResponses, lost: LostResponses): RunnableConfig {
  const { hosts: _hosts, delayMs: _delay, maxPerHost: _most, recrawl: _recrawl, resolver: _resolver, ...others } = config
  const { nameServers: _servers, bodyBudgetBytes: _budget, policies: _policies, plugins = [], ...some } = others
  // It runs over all that is kept, or changes nothing.
  const { maxPages: _pages, maxTimeMs: _time, credentials: _credentials, sessions: _sessions, ...rest } = some
  const own = plugins.filter(({ policy }) => policy === undefined).map(withoutHosts)
  const serves = definePlugin({
    name: 'kept-responses',
    beforeRequest(outgoing) {
      try {
        const { request } = outgoing.exchange
        const found = kept.findFor(request)
        if (found !== undefined && !isKeptLoggedOut(request, found, config))
          return outgoing.serve(servedAs(found, request.url, config.spider))
      } catch {
        lost.damaged++
        return outgoing.drop(NOT_KEPT)
      }
      if (outgoing.exchange.request.depth === 0) lost.seeds++
      outgoing.drop(NOT_KEPT)
    },
  })
  const visited = rest.frontier && { frontier: withKeptVisits(rest.frontier, kept) }
  const spider = withoutLogin(config.spider)
  return { ...rest, ...visited, spider, policies: [unpaced()], plugins: [...own, serves], fetcher: NO_WEB }
}

const NO_WEB: Fetcher = { fetch: () => () => {}, close: async () => {} }

type Plugins = NonNullable<RunnableConfig['plugins']>

function withoutHosts(plugin: Plugins[number]): Plugins[number] {
  const { admit: _admit, onAdmit: _onAdmit, onUnsent: _onUnsent, beforeRequest: _before, ...others } = plugin
  const { onResponse: _onResponse, onError: _onError, onRequired: _onRequired, ...rest } = others
  return rest
}
