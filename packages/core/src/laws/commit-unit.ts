// What makes a unit or a request bad: the one definition, for every frontier. Checked before anything is written, so that no savepoint is needed.
import type { CommitUnit } from '../ports/frontier.ts'
import type { NewRequest } from '../ports/request.ts'
import { shown } from '../values/shown.ts'

/**
 * Why a request cannot be stored, in one line; undefined when it can.
 *
 * @example
 * ```ts
 * requestProblem({ ...request, priority: NaN }) // 'priority: expected an integer, got NaN'
 * ```
 */
export function requestProblem(request: NewRequest): string | undefined {
  const { fingerprint, hostKey, url, handler, depth, priority, notBefore, again, modifiedAt } = request
  if (typeof fingerprint !== 'string' || fingerprint.length !== 16) return expected('fingerprint', '16 characters', fingerprint)
  if (typeof hostKey !== 'string' || hostKey === '') return expected('hostKey', 'a host', hostKey)
  if (typeof url !== 'string' || !/^https?:\/\/[^/]/.test(url)) return expected('url', 'an absolute http(s) URL', url)
  if (typeof handler !== 'string' || handler === '') return expected('handler', 'a name', handler)
  if (!Number.isSafeInteger(depth) || depth < 0) return expected('depth', 'an integer from 0', depth)
  if (!Number.isSafeInteger(priority)) return expected('priority', 'an integer', priority)
  if (notBefore !== undefined && !Number.isFinite(notBefore)) return expected('notBefore', 'epoch ms', notBefore)
  if (again !== undefined && !Number.isFinite(again)) return expected('again', 'epoch ms', again)
  if (modifiedAt !== undefined && !Number.isFinite(modifiedAt)) return expected('modifiedAt', 'epoch ms', modifiedAt)
  return undefined
}

/**
 * Why a unit cannot be committed to any store, apart from its links; undefined when it can. Moments are those of plugins, and the history is a fetcher's;
 * all else is made by core.
 */
export function unitProblem({ outcome }: CommitUnit): string | undefined {
  if (outcome?.kind === 'retry' && !Number.isFinite(outcome.at)) return expected('outcome.at', 'epoch ms', outcome.at)
  const again = outcome !== undefined && outcome.kind !== 'retry' ? outcome.again : undefined
  if (again !== undefined && !(Number.isFinite(again.at) && Number.isSafeInteger(again.skipped)))
    return expected('outcome.again', 'epoch ms and a number of rounds', JSON.stringify(again))
  if (outcome?.fetched !== undefined && !Object.values(outcome.fetched).every(Number.isFinite))
    return expected('outcome.fetched', 'finite numbers', JSON.stringify(outcome.fetched))
  return undefined
}

function expected(field: string, wanted: string, got: unknown): string {
  return `${field}: expected ${wanted}, got ${shown(got)}`
}
