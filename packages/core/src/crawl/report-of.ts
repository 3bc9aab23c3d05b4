// Writes the report of a run, from its counters and from what the frontier knows.
import type { AvocetError } from '../errors.ts'
import type { FrontierReader, HostRecord, MemoryParts } from '../frontier-reader.ts'
import type { CrawlReport, Ending } from '../report.ts'
import type { CoreHostMemory } from '../scheduler/live-host.ts'
import type { Tally } from './tally.ts'

const MAX_HOSTS = 100
const PAGE = 1_000

/** What the report cannot read in the frontier. */
export interface RunFacts {
  readonly name: string
  readonly ended: Ending
  readonly why: string
  readonly resumed: boolean
  readonly startedAt: number
  readonly endedAt: number
  readonly tally: Tally
  readonly error?: AvocetError
}

/** The report. */
export async function reportOf(facts: RunFacts, reader: FrontierReader): Promise<CrawlReport> {
  const waiting: HostRecord[] = []
  const retired: HostRecord[] = []
  for await (const host of hostsOf(reader)) {
    if (host.retiredFor !== undefined) retired.push(host)
    else if (host.waiting > 0) waiting.push(host)
  }
  const most = (hosts: HostRecord[]): HostRecord[] => hosts.sort((a, b) => b.waiting - a.waiting).slice(0, MAX_HOSTS)
  return {
    schema: 1,
    name: facts.name,
    ended: facts.ended,
    why: facts.why,
    resumed: facts.resumed,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    run: { ...facts.tally.counts },
    counts: await reader.counts(),
    failures: await reader.failures(),
    waitingHosts: most(waiting).map(({ hostKey, waiting: count, readyAt: until, memory }) => ({
      hostKey,
      waiting: count,
      until,
      why: heldForOf(memory),
    })),
    retiredHosts: most(retired).map(({ hostKey, waiting: count, retiredFor }) => ({
      hostKey,
      waiting: count,
      reason: retiredFor ?? '',
    })),
    problems: facts.tally.problems,
    ...(facts.error && { error: { code: facts.error.code, message: facts.error.message } }),
  }
}

/** What held a host when it was last given back. */
function heldForOf(memory: MemoryParts): string {
  if (memory['core'] === undefined) return 'not visited yet'
  const [, core] = JSON.parse(memory['core']) as [number, CoreHostMemory]
  return core.heldFor ?? 'its turn had not come'
}

async function* hostsOf(reader: FrontierReader): AsyncGenerator<HostRecord> {
  for (let afterHostKey: string | undefined; ;) {
    const page = await reader.hosts({ limit: PAGE, ...(afterHostKey !== undefined && { afterHostKey }) })
    yield* page
    if (page.length < PAGE) return
    afterHostKey = page.at(-1)?.hostKey
  }
}
