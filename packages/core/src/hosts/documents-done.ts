// How many documents of plugins, such as sitemaps and files, a host has given that are done: no handler of the spider saw them, so what is said of pages
// leaves them out. Counted with the unit that settles them, like what handlers got (handler-yields.ts). A sitemap that is read again in each run may be gone
// by then, or come after it had failed: what it was before decides.
import type { Outcome } from '../frontier.ts'
import type { MemoryParts } from '../frontier-reader.ts'
import type { Leased, Request } from '../request.ts'
import { storedJson } from '../stored-json.ts'

interface GivingHost {
  readonly core: { documents?: number }
}

interface DocumentUnit {
  readonly host: GivingHost
  readonly request?: Request & Pick<Leased, 'was'>
  readonly outcome?: Outcome
}

/** Counts what the document of a unit is now in place of what it was, and takes that back where `times` is -1. */
export function countDocument({ host: { core }, request, outcome }: DocumentUnit, times: 1 | -1): void {
  if (request === undefined || outcome === undefined || outcome.kind === 'retry') return
  const before = request.was === 'done' ? 1 : 0
  const gained = (outcome.kind === 'done' ? 1 : 0) - before
  if (gained !== 0) core.documents = (core.documents ?? 0) + gained * times
}

/** How many a host gave, by its memory: those of stores of earlier versions were not counted. Throws AVO_FRONTIER_CORRUPT. */
export function documentsIn({ core }: MemoryParts): number {
  if (core === undefined) return 0
  const [, { documents = 0 }] = storedJson(core, 'the memory of a host') as [number, GivingHost['core']]
  return Math.max(0, documents)
}
