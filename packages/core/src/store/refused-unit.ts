// What follows when the store refuses a unit: somebody is told, and its page is committed as failed.
import { AvocetError } from '../values/errors.ts'
import { failureInstead, type PendingUnit } from './commits.ts'

/** Who is told. */
export interface RefusalListener {
  readonly tally: { readonly problem: (message: string) => void }
  fail(error: unknown): void
}

/** The failure to commit in place of `unit`, which the store refused for `error`; undefined where there is none, or the store refused even that. */
export function refusedUnit(
  unit: PendingUnit,
  error: string | undefined = 'it gave no reason',
  told: RefusalListener,
): PendingUnit | undefined {
  const { host, request } = unit
  told.tally.problem(`the store rejected the commit of ${request?.url ?? host.key}: ${error}`)
  if (!request) return undefined
  const failure = failureInstead({ ...unit, request })
  if (failure !== undefined) host.unsettled++
  else told.fail(new AvocetError('AVO_INTERNAL', `the store rejected even the failure of ${request.url}: ${error}`))
  return failure
}
