// From what was typed to a visitor that asks for pages as a crawl of this project would.
import type { Spider } from '@avocet/core'
import { loadConfig } from '../load/config-file.ts'
import { planCrawl } from '../load/plan-crawl.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatDuration } from '../text/quantity.ts'
import type { VisitWish } from './visit-flags.ts'
import { Visitor } from './visitor.ts'

/** Asks for pages, and knows how they are to be parsed. */
export interface VisitSession {
  readonly visitor: Visitor
  readonly html: 'parse5' | 'fast'
}

/** Any URL will do: planning a crawl needs one. */
const SOME_URL = 'http://page.invalid/'

/** Opens a session. `spider`: whose pages they are, if not the configuration's. Throws AVO_CONFIG_INVALID, AVO_USAGE. */
export async function visitSession({ crawl, patienceMs }: VisitWish, place: Place, spider?: Spider): Promise<VisitSession> {
  const { folder, clock, stderr } = place
  const config = await planCrawl({ ...crawl, args: {}, targets: [SOME_URL] }, folder, clock)
  const configured = (await loadConfig(folder, crawl.configPath))?.config.spider
  const visitor = new Visitor({
    config,
    clock: config.clock ?? clock,
    accepts: (spider ?? configured)?.accepts,
    patienceMs,
    waits: ({ by, why, until }, now) =>
      void stderr.write(`waits ${formatDuration(until - now)}: ${printable(by)}: ${printable(why)}\n`),
  })
  return { visitor, html: config.html ?? 'parse5' }
}
