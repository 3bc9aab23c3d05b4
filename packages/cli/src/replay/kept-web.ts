// The configuration of a replay: that of the crawl, with kept responses in place of the web.
import { definePlugin, type CrawlReport, type Request, type Response, type RunnableConfig } from '@avocet/core'
import { unpaced } from 'avocet'
import { documentsAlone, NO_WEB } from '@avocet/project/plan'
import type { KeptResponse, KeptResponses } from '@avocet/project/store'

/** The reason with which a page fails that is not kept. */
const NOT_KEPT = 'not-kept'

/** What came of the requests of a replay. */
export interface KeptTally {
  /** Numbers of the responses that were handed out. */
  readonly found: Set<number>
  /** The first URL that is not kept, and of those that cannot be read. */
  missing?: string
  damaged: number
}

/** `config` without what concerns hosts, and without what plugins do to them. A kept response that cannot be read counts as not kept. */
export function overKept(config: RunnableConfig, kept: KeptResponses, tally: KeptTally): RunnableConfig {
  const { hosts: _hosts, delayMs: _delay, maxPerHost: _most, recrawl: _recrawl, resolver: _resolver, ...others } = config
  const { nameServers: _servers, bodyBudgetBytes: _budget, policies: _policies, limits: _limits, plugins = [], ...some } = others
  // All that is kept is run, and sinks have the items of the crawl already.
  const { maxPages: _pages, maxTimeMs: _time, credentials: _credentials, sessions: _sessions, sinks: _sinks, ...rest } = some
  // A login would hold every page until somebody has logged in.
  const { login: _login, ...spider } = config.spider
  const own = plugins.flatMap((plugin) => (plugin.name === 'files' ? documentsAlone(plugin) : [plugin]))
  const plain = own.filter(({ policy }) => policy === undefined).map(withoutHosts)
  const handlers = new Set(plain.flatMap(({ name, handlers = {} }) => Object.keys(handlers).map((each) => `${name}/${each}`)))
  const serves = keptPlugin({ spider, handlers }, kept, tally)
  return { ...rest, spider, policies: [unpaced()], plugins: [...plain, serves], fetcher: NO_WEB }
}

type Plugins = NonNullable<RunnableConfig['plugins']>
type Spider = RunnableConfig['spider']

/** Serves what is kept, and reads the sitemaps and feeds of the crawl again, which plugins find by requests. */
function keptPlugin(
  { spider, handlers }: { readonly spider: Spider; readonly handlers: ReadonlySet<string> },
  kept: KeptResponses,
  tally: KeptTally,
): Plugins[number] {
  return definePlugin({
    name: 'kept-responses',
    open(session) {
      for (const { url, handler } of kept.documents()) if (handlers.has(handler)) session.add({ url, handler })
    },
    beforeRequest(outgoing) {
      const { request } = outgoing.exchange
      const found = readable(kept, request, tally)
      if (found !== undefined) {
        tally.found.add(found.id)
        return outgoing.serve(servedAs(found, request, spider))
      }
      tally.missing ??= request.url
      outgoing.drop(NOT_KEPT)
    },
  })
}

function readable(kept: KeptResponses, request: Request, tally: KeptTally): KeptResponse | undefined {
  try {
    return kept.find(request)
  } catch {
    tally.damaged++
    return undefined
  }
}

/** As the crawl came to it: by a redirect, where it requested another spelling of the URL, as the server spells it. */
function servedAs({ response, url }: KeptResponse, { url: asked }: Request, { accepts }: Spider): Response {
  if (url === asked || accepts?.(SAME_REQUEST) === true) return response
  return { ...response, status: SAME_REQUEST, headers: { location: url }, body: new Uint8Array() }
}

/** RFC 9110 §15.4.8: keeps method and body. */
const SAME_REQUEST = 307

function withoutHosts(plugin: Plugins[number]): Plugins[number] {
  const { admit: _admit, onAdmit: _onAdmit, onUnsent: _onUnsent, beforeRequest: _before, ...others } = plugin
  const { onResponse: _onResponse, onError: _onError, ...rest } = others
  return rest
}

/** A URL that is not kept has not failed: it was not requested. */
export function withoutMissing<Report extends Pick<CrawlReport, 'counts' | 'run' | 'failures'>>(
  report: Report,
): Report & { readonly notKept: number } {
  const { counts, run, failures } = report
  const notKept = failures.find(({ reason }) => reason === NOT_KEPT)?.count ?? 0
  return {
    ...report,
    counts: { ...counts, failed: counts.failed - notKept },
    run: { ...run, failed: run.failed - notKept },
    failures: failures.filter(({ reason }) => reason !== NOT_KEPT),
    notKept,
  }
}
