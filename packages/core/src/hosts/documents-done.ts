// How many documents of plugins, such as sitemaps and files, a host gave in all runs: they are done, and no handler of the spider saw them, so what is said of
// pages leaves them out. Counted with the unit that settles them, like what handlers got (handler-yields.ts).
import type { Outcome } from '../frontier.ts'
import type { MemoryParts } from '../frontier-reader.ts'
import type { Request } from '../request.ts'
import { storedJson } from '../stored-json.ts'

interface GivingHost {
  readonly core: { documents?: number }
}

interface DocumentUnit {
  readonly host: GivingHost
  readonly request?: Request
  readonly outcome?: Outcome
  readonly isListing?: boolean
}

/** Counts the document of a unit on its first visit, and takes it back where `times` is -1. */
export function countDocument({ host: { core }, request, outcome, isListing }: DocumentUnit, times: 1 | -1): void {
  if (isListing !== true || outcome?.kind !== 'done' || request?.earlier !== undefined) return
  core.documents = (core.documents ?? 0) + times
}

/** How many a host gave, by its memory. Throws AVO_FRONTIER_CORRUPT. */
export function documentsIn({ core }: MemoryParts): number {
  if (core === undefined) return 0
  const [, { documents = 0 }] = storedJson(core, 'the memory of a host') as [number, GivingHost['core']]
  return documents
}
