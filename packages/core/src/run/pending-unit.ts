// What is committed for one page, while it waits: how many such units go into one group, and what takes the place of one that the store refuses.
import type { CommitUnit, Outcome } from '../ports/frontier.ts'
import type { Leased, Request } from '../ports/request.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { RefusalRow } from '../ports/report.ts'
import { AvocetError } from '../values/errors.ts'

/** Why a page failed of which the store refused the unit. */
const REFUSED = 'commit-rejected'

/** What is committed for one page: the outcome of its exchange, and what came of it. Without a request it only carries its host's memory. */
export interface PendingUnit extends Omit<CommitUnit, 'lease' | 'requestId' | 'memory' | 'crawlMemory'> {
  readonly host: LiveHost
  readonly request?: Request & Pick<Leased, 'was'>
  /** Links that handlers offered, those of them that were not followed, and pairs to remember as known once this is committed. */
  readonly offered: number
  readonly refused: readonly RefusalRow[]
  readonly pairs: readonly string[]
  /** Its links are what a document of a plugin lists. */
  readonly isListing?: boolean
  /** Items that plugins dropped. Absent: none. */
  readonly dropped?: number | undefined
  /** Called once it is in the store, and all that was added before it. */
  readonly whenCommitted?: () => void
}

/** An outcome alone. */
export function outcomeOnly(host: LiveHost, request: Request, outcome: Outcome): PendingUnit {
  return { host, request, outcome, links: [], items: [], offered: 0, refused: [], pairs: [] }
}

/** The memory of a host alone. */
export function memoryOnly(host: LiveHost): PendingUnit {
  return { host, links: [], items: [], offered: 0, refused: [], pairs: [] }
}

/** The failure to commit in place of `unit`, which the store refused for `error`, without its links and items; undefined where the store refused even that. */
export function refusedUnit(
  unit: PendingUnit,
  error: string | undefined = 'it gave no reason',
  told: { readonly tally: { problem(message: string): void }; fail(error: unknown): void },
): PendingUnit | undefined {
  const { host, request, outcome } = unit
  told.tally.problem(`the store rejected the commit of ${request?.url ?? host.key}: ${error}`)
  if (!request) return undefined
  if (outcome?.kind === 'failed' && outcome.reason === REFUSED) {
    told.fail(new AvocetError('AVO_INTERNAL', `the store rejected even the failure of ${request.url}: ${error}`))
    return undefined
  }
  host.unsettled++
  return outcomeOnly(host, request, { kind: 'failed', reason: REFUSED })
}

// How many of the units that wait go into one group. A transaction stops the event loop, so rows are counted. One unit alone always goes.

/** Links and items of one transaction: some 15 ms. */
export const GROUP_ROWS = 1_000
/** What a unit is beside them: outcome, memory, its host's row. */
const ROWS_A_UNIT = 3
/** Of a text that a plugin keeps, such as a robots.txt of 500 KiB: it takes 8 ms. */
const CHARACTERS_A_ROW = 1_000

/** How many of these go together. */
export function groupSize(units: readonly PendingUnit[]): number {
  let rows = 0
  const end = units.findIndex((unit, index) => {
    rows += rowsOf(unit)
    return index > 0 && rows > GROUP_ROWS
  })
  return end === -1 ? units.length : end
}

/** Rows that they write. */
export function groupRows(units: readonly PendingUnit[]): number {
  return units.reduce((rows, unit) => rows + rowsOf(unit), 0)
}

function rowsOf({ host, links, items, held, rejects = [], records = [] }: PendingUnit): number {
  let rows = ROWS_A_UNIT + links.length + items.length + (held?.items.length ?? 0) + rejects.length + records.length
  for (const text of host.keptBlobs.values()) rows += Math.ceil(text.length / CHARACTERS_A_ROW)
  return rows
}
