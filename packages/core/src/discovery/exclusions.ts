// Requests of earlier runs that the scope of today excludes by name or depth: a host whose owner asked to be left alone is left alone from the next run on.
//
// Hosts that are only no longer included (`within`, `hosts`) do not count: those of seeds that a function yields later are not known yet.
import type { Settings } from '../run/settings.ts'
import type { NewRequest } from '../request.ts'
import { compileScope } from '../url/scope.ts'

/** Reason of requests that are excluded. */
export const OUT_OF_SCOPE = 'out-of-scope'

/** Which rule excludes a request; undefined: none. */
export type ExclusionOf = (request: Pick<NewRequest, 'url' | 'depth' | 'handler'>) => string | undefined

/** The question, of a run. */
export function exclusionsOf({ spider, documents }: Pick<Settings, 'spider' | 'documents'>): ExclusionOf {
  const { exclusion, documentRefusal } = compileScope(spider.scope ?? {}, [], () => {})
  return ({ url, depth, handler }) => (documents.has(handler) ? documentRefusal(url) : exclusion(url, depth))
}
