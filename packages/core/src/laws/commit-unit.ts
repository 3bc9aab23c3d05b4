// What makes a unit or a request bad, and which outcomes have a page: the one definition, for every frontier. Checked before anything is written,
// so that no savepoint is needed.
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

/** Why a unit cannot be committed to any store, apart from its links; undefined when it can. */
export function unitProblem(unit: CommitUnit): string | undefined {
  const { outcome, requestId } = unit
  if ((outcome === undefined) !== (requestId === undefined)) return 'expected requestId and outcome together, got one of them'
  if (requestId === undefined && unit.items.length > 0) return 'expected items to come with a requestId, got none'
  const badItem = unit.items.findIndex((item) => typeof item.json !== 'string')
  if (badItem >= 0) return `item ${badItem}: expected JSON text, got ${shown(unit.items[badItem]?.json)}`
  const place = placeProblem(unit) ?? recordsProblem(unit)
  if (place !== undefined) return place
  if (outcome?.kind === 'retry' && !Number.isFinite(outcome.at)) return expected('outcome.at', 'epoch ms', outcome.at)
  const again = outcome !== undefined && outcome.kind !== 'retry' ? outcome.again : undefined
  if (again !== undefined && !(Number.isFinite(again.at) && Number.isSafeInteger(again.skipped)))
    return expected('outcome.again', 'epoch ms and a number of rounds', JSON.stringify(again))
  const { visits = 1, since = 0 } = again?.missing ?? {}
  if (!(Number.isSafeInteger(visits) && visits >= 1 && Number.isFinite(since)))
    return expected('outcome.again.missing', 'a number of visits and epoch ms', JSON.stringify(again?.missing))
  if (outcome?.fetched !== undefined && !Object.values(outcome.fetched).every(Number.isFinite)) {
    return expected('outcome.fetched', 'finite numbers', JSON.stringify(outcome.fetched))
  }
  return partsProblem(unit.memory) ?? partsProblem(unit.crawlMemory)
}

function recordsProblem({ requestId, records = [] }: CommitUnit): string | undefined {
  if (records.length > 0 && requestId === undefined) return 'expected records to come with a requestId, got none'
  const bad = records.find(({ json, ordinal = 0 }) => typeof json !== 'string' || !Number.isSafeInteger(ordinal) || ordinal < 0)
  return bad === undefined ? undefined : expected('records', 'JSON text, each at an integer from 0', JSON.stringify(bad))
}

/** Each item and each reject has a place of its own on the page. */
function placeProblem({ requestId, items, rejects = [] }: CommitUnit): string | undefined {
  if (rejects.length > 0 && requestId === undefined) return 'expected rejects to come with a requestId, got none'
  const bad = rejects.find(
    ({ json, reason, at }) => typeof json !== 'string' || typeof reason !== 'string' || !Number.isFinite(at),
  )
  if (bad !== undefined) return expected('rejects', 'JSON text, a reason and epoch ms', JSON.stringify(bad))
  if (rejects.length === 0 && items.every(({ ordinal }) => ordinal === undefined)) return undefined
  const places = [...items.map(({ ordinal }, index) => ordinal ?? index), ...rejects.map(({ ordinal }) => ordinal)]
  const wrong = places.find((each) => !Number.isSafeInteger(each) || each < 0)
  if (wrong !== undefined) return expected('ordinal', 'an integer from 0', wrong)
  return new Set(places).size === places.length ? undefined : 'expected items and rejects at places of their own, got two at one'
}

function partsProblem(parts: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const bad = Object.entries(parts ?? {}).find(([, json]) => typeof json !== 'string')
  return bad && expected(`memory part ${bad[0]}`, 'JSON text', bad[1])
}

function expected(field: string, wanted: string, got: unknown): string {
  return `${field}: expected ${wanted}, got ${shown(got)}`
}
