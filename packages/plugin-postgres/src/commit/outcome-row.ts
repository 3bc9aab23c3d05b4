// An outcome as `settle` of the store takes it: one flat object of plain JSON.
import { groupOf, OTHER_ERRORS, requestLaws, type Outcome } from '@avocet/core/store'
import type { HandedOut, LeasedHost } from '../held-host.ts'
import { inRange, MOST_INT, MOST_SMALLINT } from '../connection/storable-text.ts'
import { storedWord, type WordIds } from '../names/word-ids.ts'

const KINDS = ['retry', 'done', 'moved', 'failed'] as const

/** What an outcome is of. */
export interface Concluded {
  readonly held: LeasedHost
  readonly id: number
  readonly out: HandedOut
  readonly outcome: Outcome
}

/** Whether it is a first visit that ended well, and nothing more: one row of many, and no questions. */
export function isFirstSuccess({ out, outcome }: Concluded): boolean {
  return out.isPlain && outcome.kind === 'done' && outcome.again === undefined
}

/** Words of reasons that the outcome has. */
export function reasonWordsOf(outcome: Outcome): string[] {
  return outcome.kind === 'failed' || outcome.kind === 'retry' ? [outcome.reason] : []
}

/** The object. `reasons` has learned its words. */
export function outcomeRow({ held, id, out, outcome }: Concluded, reasons: WordIds): object {
  const { kind, fetched } = outcome
  const again = kind === 'retry' ? undefined : outcome.again
  const at = kind === 'retry' ? outcome.at : again?.at
  const isGone = (kind === 'moved' || kind === 'failed') && outcome.gone === true
  const missing = isGone ? undefined : again?.missing
  const pageAt = requestLaws.pageAtOf(outcome)
  return {
    id,
    host: held.id,
    rank: out.rank,
    kind: KINDS.indexOf(kind),
    counted: kind === 'retry' && outcome.counted ? 1 : 0,
    at: at === undefined ? null : inRange(Math.ceil(at)),
    ...(kind === 'retry' && { reason: reasons.idOf(outcome.reason) }),
    ...(kind === 'moved' && { target: outcome.target }),
    ...(kind === 'failed' && failureRow(outcome, reasons)),
    ...(fetched !== undefined && {
      fetched_at: inRange(fetched.at),
      status: inRange(fetched.status, MOST_SMALLINT),
      duration: inRange(fetched.durationMs, MOST_INT),
      wire: inRange(fetched.wireBytes),
    }),
    skipped: inRange(again?.skipped ?? 0, MOST_INT),
    etag: again?.etag,
    last_modified: again?.lastModified,
    body_hash: again?.bodyHash,
    missing: isGone ? -1 : inRange(missing?.visits ?? 0, MOST_INT),
    since: missing === undefined ? null : inRange(missing.since),
    page_at: pageAt === undefined ? null : inRange(pageAt),
  }
}

function failureRow({ reason, failure }: Outcome & { readonly kind: 'failed' }, reasons: WordIds): object {
  const error = failure?.handlerError
  const kind = error === undefined ? undefined : groupOf(error)
  return {
    reason: reasons.idOf(reason),
    blame: failure?.blame,
    ...(kind !== undefined && { error_kind: storedWord(kind), error_json: JSON.stringify(kind === '' ? OTHER_ERRORS : error) }),
  }
}
