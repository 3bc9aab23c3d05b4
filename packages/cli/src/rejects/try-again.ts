// Holds rejects against the schema of today, and shows what is valid to plugins: a crawl of one page in RAM, whose handler yields them.
//
// So the deadline, the checks and `onItem` are those of a crawl. Plugins see the request and the place that each item is of. Where the schema breaks on some of
// them, halves are tried, until those are alone: they stay what they are, with the error as their reason.
import { definePlugin, type CrawlConfig, type Json, type Plugin, type Request, type Spider } from '@avocet/core'
import { crawl, memoryFrontier } from 'avocet'
import type { Failure } from '@avocet/core/plugin'
import { NO_WEB, onItemsAlone } from '@avocet/project/plan'
import type { RejectDecision, RejectRecord } from '@avocet/core/store'

/** By what they are tried. */
export interface TriedBy {
  readonly spider: Spider
  /** Its plugins see items as in a crawl, also those with effects outside of it. */
  readonly config: Partial<CrawlConfig>
}

const PAGE_URL = 'http://rejects.invalid/'
/** Of a handler, in a crawl: core's default. */
const HANDLER_MS = 60_000

/** What became of each. Throws what a plugin throws in `open`. */
export async function triedAgain(rejects: readonly RejectRecord[], by: TriedBy): Promise<readonly RejectDecision[]> {
  const tried = await tryOnce(rejects, by)
  if (tried.failure === undefined) return tried.decisions
  const [first] = rejects
  if (first !== undefined && rejects.length === 1) return [{ kind: 'refused', id: first.id, reason: tried.failure.message }]
  const half = Math.ceil(rejects.length / 2)
  return [...(await triedAgain(rejects.slice(0, half), by)), ...(await triedAgain(rejects.slice(half), by))]
}

interface Tried {
  readonly decisions: readonly RejectDecision[]
  readonly failure?: Failure
}

async function tryOnce(rejects: readonly RejectRecord[], { spider, config }: TriedBy): Promise<Tried> {
  const frontier = memoryFrontier()
  const { clock, handlerTimeoutMs = HANDLER_MS } = config
  // A page of the crawl had so much time for its items.
  const pages = new Set(rejects.map(({ requestId, visit }) => `${requestId}.${visit}`)).size
  const run = crawl({
    ...(clock && { clock }),
    spider: {
      name: 'rejects',
      seeds: [PAGE_URL],
      items: spider.items,
      accepts: () => true,
      handlers: { start: () => rejects.map(({ json }) => JSON.parse(json) as Json) },
    },
    policies: [],
    plugins: [
      definePlugin({ name: 'the-page', beforeRequest: (outgoing) => outgoing.serve(EMPTY) }),
      ...itemPlugins(config, rejects),
    ],
    frontier,
    fetcher: NO_WEB,
    handlerTimeoutMs: handlerTimeoutMs * pages,
    maxYields: rejects.length,
  })
  const failures: Failure[] = []
  run.hooks.onHandled.tap('rejects', ({ failure }) => void (failure && failures.push(failure)))
  const { error } = await run.run()
  if (error !== undefined && failures.length === 0) throw Object.assign(new Error(error.message), { code: error.code })
  const [failure] = failures
  const items = await frontier.reader.items({ afterSeq: 0, limit: rejects.length })
  const refused = await frontier.reader.rejects({ limit: rejects.length })
  await frontier.close()
  return { decisions: decisionsOf(rejects, items, refused), ...(failure && { failure }) }
}

/** A place in the page of the trial is an index into the list. */
function decisionsOf(
  rejects: readonly RejectRecord[],
  items: readonly { readonly ordinal: number; readonly json: string }[],
  refused: readonly { readonly ordinal: number; readonly reason: string }[],
): readonly RejectDecision[] {
  const valid = new Map(items.map(({ ordinal, json }) => [ordinal, json]))
  const why = new Map(refused.map(({ ordinal, reason }) => [ordinal, reason]))
  return rejects.map(({ id }, ordinal) => {
    const [json, reason] = [valid.get(ordinal), why.get(ordinal)]
    if (json !== undefined) return { kind: 'valid', id, json }
    return reason === undefined ? { kind: 'dropped', id } : { kind: 'refused', id, reason }
  })
}

/** What the plugins do to items, each at its own page and place. */
function itemPlugins({ policies = [], plugins = [] }: Partial<CrawlConfig>, rejects: readonly RejectRecord[]): readonly Plugin[] {
  return [...policies, ...plugins]
    .filter(({ onItem }) => onItem !== undefined)
    .map((plugin) =>
      onItemsAlone(plugin, ({ request, ordinal, ...source }) => {
        const of = rejects[ordinal]
        return { ...source, request: asOf(request, of), ordinal: of?.ordinal ?? ordinal }
      }),
    )
}

function asOf(request: Request, of: RejectRecord | undefined): Request {
  return of === undefined ? request : { ...request, url: of.url, hostKey: of.hostKey, handler: of.handler }
}

const EMPTY = {
  url: PAGE_URL,
  status: 200,
  headers: {},
  body: new Uint8Array(),
  wireBytes: 0,
  timings: { firstByteMs: 0, bodyMs: 0, reusedSocket: false },
}
