// Whether rounds can be kept: whether each host of the store, at the rate that was found for it, has time for all its pages between two visits.
import type { FrontierReader } from '@avocet/core/store'
import { coreMemory } from '@avocet/core/tools'
import { formatDuration } from '@avocet/core/plugin'
import { explainersOf, foundByPolicies } from '@avocet/project/plan'
import { IN_MEMORY, readStore, storeKind } from '@avocet/project/store'
import { formatCountOf, formatRate } from '@avocet/project/text'
import { crawlAtRest } from '../store/at-rest.ts'
import { finding, type Finding, findings } from './finding.ts'

type Config = Parameters<typeof explainersOf>[0]

/** A host that cannot be visited in time, and how long its round takes. */
interface Slow {
  readonly hostKey: string
  readonly pages: number
  readonly foundRps: number
  readonly takesMs: number
}

/** Compares the pages of each host with its rate. No finding where nothing is visited again, or by rules for some pages only. */
export async function roundFindings(path: string, config: Config, now: number): Promise<readonly Finding[]> {
  const everyMs = intervalOf(config)
  if (everyMs === undefined || path === IN_MEMORY || !(await storeKind(path).exists(path))) return []
  return readStore(path, async (reader) => said(await roundsIn(reader, config, { everyMs, now }), everyMs))
}

async function roundsIn(
  reader: FrontierReader,
  config: Config,
  { everyMs, now }: { readonly everyMs: number; readonly now: number },
): Promise<{ readonly known: number; readonly slow: readonly Slow[] }> {
  const crawl = await crawlAtRest(reader)
  const explainers = explainersOf(config)
  const slow: Slow[] = []
  let known = 0
  for await (const host of crawl.hosts()) {
    // Pages that are gone are due rarely.
    const pages = host.waiting + Math.min(host.done, host.again ?? 0)
    const { values } = crawl.explain(host, { ...explainers(host), now })
    const { foundRps } = foundByPolicies(values, coreMemory.ofHost(host.memory).proven === true)
    if (pages === 0 || foundRps === null) continue
    known++
    const takesMs = (1_000 * pages) / foundRps
    if (takesMs > everyMs) slow.push({ hostKey: host.hostKey, pages, foundRps, takesMs })
  }
  return { known, slow: slow.toSorted((a, b) => b.takesMs - a.takesMs) }
}

function said({ known, slow }: { readonly known: number; readonly slow: readonly Slow[] }, everyMs: number): readonly Finding[] {
  const every = `every ${formatDuration(everyMs)}`
  if (known === 0) return [finding('rounds', 'ok', `${every}; no rate of a host is known yet`)]
  if (slow.length === 0)
    return [finding('rounds', 'ok', `${every}: ${formatCountOf(known, 'host')} can keep them at the rates that were found`)]
  const lines = slow.map(
    ({ hostKey, pages, foundRps, takesMs }) =>
      `${hostKey}: ${formatCountOf(pages, 'page')} at ${formatRate(foundRps)} take ${formatDuration(takesMs)}, and are to be visited ${every}`,
  )
  return findings('rounds', 'warn', lines)
}

/** The interval between two visits of any page: of a rule for all pages, or as many visits as a plugin such as adaptive() makes. */
function intervalOf({ recrawl = [], plugins = [], policies = [] }: Config): number | undefined {
  const own = [...plugins, ...(policies ?? [])].find(({ policy }) => policy === 'recrawl')?.options?.['withinMs']
  if (typeof own === 'number') return own
  const everyMs = recrawl.find(({ match }) => match === undefined)?.everyMs
  return everyMs === Infinity ? undefined : everyMs
}
