// From what was typed to somebody who brings pages as a crawl of this project would: from the web by its policies, or from a file.
import type { CrawlConfig, Page, Spider } from '@avocet/core'
import type { MemoryParts } from '@avocet/core/store'
import { parseUrl } from '@avocet/core/plugin'
import type { ExitCode } from '../exit-code.ts'
import { loadConfig } from '../load/config-file.ts'
import { planCrawl } from '../load/plan-crawl.ts'
import { IN_MEMORY, storeCalled } from '../load/store-path.ts'
import { given } from '../options/values.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatDuration } from '../text/quantity.ts'
import { keptPages, type RequestWish } from './kept-pages.ts'
import { requestWishOf } from './request-flags.ts'
import { TypedSecrets } from './typed-secrets.ts'
import type { VisitWish } from './visit-flags.ts'
import { exitCodeOfVisit } from './visit-outcome.ts'
import { keptReport, lastPage, visitReport, type VisitReport } from './visit-report.ts'
import { Visitor } from './visitor.ts'

/** Any URL will do: planning a crawl needs one. */
const SOME_URL = 'http://page.invalid/'

/** What asking for a page gave. */
interface Fetched {
  /** Of any status; absent when there was no answer. */
  readonly page?: Page
  readonly report: VisitReport
  /** Epoch ms. */
  readonly now: number
  readonly code: ExitCode
}

/** Brings pages, one after another. */
export interface VisitSession {
  /** As a crawl of this project has it; its spider means nothing. */
  readonly config: CrawlConfig
  /** A URL that a page has, as it may be shown; `fetch` knows what is hidden in it. */
  shown(url: string): string
  /** From what a crawl kept, or from the web. `wish`: what is requested; by default with GET. Throws what keeps a crawl from beginning. */
  fetch(url: string, wish?: RequestWish): Promise<Fetched>
  /** What was typed about the page that is named. */
  readonly request: RequestWish
  close(): Promise<void>
}

/** Opens a session. `spider`: whose pages they are, if not the configuration's. Throws AVO_CONFIG_INVALID, AVO_USAGE. */
export async function visitSession(wish: VisitWish, place: Place, spider?: Spider): Promise<VisitSession> {
  const { crawl, patienceMs, refetch } = wish
  const { folder, clock, stderr } = place
  const config = await planCrawl({ ...crawl, args: {}, targets: [SOME_URL] }, place)
  const own = spider ?? (await loadConfig(place, crawl.configPath))?.config.spider
  const accepts = own?.accepts
  const request = await requestWishOf(wish.request, { folder, typed: crawl.headers })
  const store = storeOf(crawl)
  const known = store === undefined ? undefined : await storeKnowledge(storeCalled(folder, store))
  const secrets = new TypedSecrets(config.secretParameters)
  const tell = (line: string): void => say(stderr, printable(line))
  const { html = 'parse5' } = config
  const kept = refetch ? undefined : await keptPages({ folder, store: crawl.store, spider: own, html, say: tell })
  let visitor: Visitor | undefined
  return {
    config,
    request,
    shown: (url) => secrets.hidden(url),
    async fetch(url, { method, headers, body } = {}) {
      const wanted = { ...given('method', method), ...given('headers', headers), ...given('body', body) }
      const shown = secrets.hidden(parseUrl(url) ?? url)
      const found = kept?.find(shown, wanted)
      if (found !== undefined) {
        const { page, fetchedAt } = found
        const now = clock.now()
        tell(`kept response of ${formatDuration(now - fetchedAt)} ago; --refetch requests it`)
        return { page, report: keptReport(shown, page, fetchedAt), now, code: 0 }
      }
      visitor ??= new Visitor({
        config,
        secrets,
        clock: config.clock ?? clock,
        accepts,
        patienceMs,
        recall: known?.recall,
        waits: ({ by, why, until }, now) =>
          say(stderr, `waits ${formatDuration(until - now)}: ${printable(by)}: ${printable(why)}`),
      })
      const visit = await visitor.visit(parseUrl(url) ?? url, wanted)
      const page = lastPage(visit, html)
      return { report: visitReport(visit, page), now: visit.now, code: exitCodeOfVisit(visit.outcome), ...(page && { page }) }
    },
    async close() {
      kept?.close()
      await visitor?.close()
      await known?.close()
    },
  }
}

/** Only one that was typed: the environment names it for a crawl, which makes it where there is none. */
function storeOf({ store, variables }: VisitWish['crawl']): string | undefined {
  return store === IN_MEMORY || variables?.['store'] !== undefined ? undefined : store
}

/** What a crawl has learned of hosts, read from its store, also while it runs. Throws AVO_FRONTIER_…. */
async function storeKnowledge(path: string): Promise<{ recall(hostKey: string): Promise<MemoryParts>; close(): Promise<void> }> {
  const reader = await (await import('@avocet/plugin-sqlite')).openReader(path)
  return {
    recall: async (hostKey) => (await reader.host(hostKey))?.memory ?? {},
    close: () => reader.close(),
  }
}
