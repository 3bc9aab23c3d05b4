// From what was typed to somebody who brings pages as a crawl of this project would: from the web by its policies, or from a file.
import { resolve } from 'node:path'
import type { CrawlConfig, Page, Spider } from '@avocet/core'
import type { MemoryParts } from '@avocet/core/store'
import { parseUrl } from '@avocet/core/plugin'
import type { ExitCode } from '../exit-code.ts'
import { loadConfig } from '../load/config-file.ts'
import { planCrawl } from '../load/plan-crawl.ts'
import { IN_MEMORY } from '../load/store-path.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatDuration } from '../text/quantity.ts'
import { TypedSecrets } from './typed-secrets.ts'
import type { VisitWish } from './visit-flags.ts'
import { exitCodeOfVisit } from './visit-outcome.ts'
import { lastPage, visitReport, type VisitReport } from './visit-report.ts'
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
  /** Throws what keeps a crawl from beginning. */
  fetch(url: string): Promise<Fetched>
  close(): Promise<void>
}

/** Opens a session. `spider`: whose pages they are, if not the configuration's. Throws AVO_CONFIG_INVALID, AVO_USAGE. */
export async function visitSession({ crawl, patienceMs }: VisitWish, place: Place, spider?: Spider): Promise<VisitSession> {
  const { folder, clock, stderr } = place
  const config = await planCrawl({ ...crawl, args: {}, targets: [SOME_URL] }, place)
  const accepts = (spider ?? (await loadConfig(place, crawl.configPath))?.config.spider)?.accepts
  const store = storeOf(crawl)
  const known = store === undefined ? undefined : await storeKnowledge(resolve(folder, store))
  const secrets = new TypedSecrets(config.secretParameters)
  let visitor: Visitor | undefined
  return {
    config,
    shown: (url) => secrets.hidden(url),
    async fetch(url) {
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
      const visit = await visitor.visit(parseUrl(url) ?? url)
      const page = lastPage(visit, config.html ?? 'parse5')
      return { report: visitReport(visit, page), now: visit.now, code: exitCodeOfVisit(visit.outcome), ...(page && { page }) }
    },
    async close() {
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
