// Requests of earlier runs that the scope of today excludes by name or depth: a host whose owner asked to be left alone is left alone from the next run on.
//
// Hosts that are only no longer included (`within`, `hosts`) do not count: those of seeds that a function yields later are not known yet. What is a seed by
// now is not too deep, however deep it was found.
import { ruleText } from '../recrawl/recrawl.ts'
import type { Settings } from '../run/settings.ts'
import type { NewRequest } from '../request.ts'
import type { Spider } from '../spider.ts'
import { canonicalUrl, parseUrl } from '../url/canonicalize.ts'
import type { DroppedParameters } from '../url/dropped-parameters.ts'
import { compileScope } from '../url/scope.ts'

/** Reason of requests that are excluded. */
export const OUT_OF_SCOPE = 'out-of-scope'

/** Which rule excludes a request; undefined: none. */
export type ExclusionOf = (request: Pick<NewRequest, 'url' | 'depth' | 'handler'>) => string | undefined

/** The question, of a run. */
export function exclusionsOf({ spider, documents, dropped }: Pick<Settings, 'spider' | 'documents' | 'dropped'>): ExclusionOf {
  const { exclusion, documentRefusal } = compileScope(spider.scope ?? {}, [], () => {})
  let seeds: ReadonlySet<string> | undefined
  const isSeed = (url: string): boolean => (seeds ??= seedsOf(spider, dropped)).has(canonicalUrl(url))
  return ({ url, depth, handler }) => {
    if (documents.has(handler)) return documentRefusal(url)
    const rule = exclusion(url, depth)
    return rule !== undefined && isSeed(url) ? exclusion(url, 0) : rule
  }
}

/** All rules that exclude something, as text: the same for rules that are the same. */
export function exclusionText({ spider, documents, dropped }: Pick<Settings, 'spider' | 'documents' | 'dropped'>): string {
  return ruleText([spider.scope, [...seedsOf(spider, dropped)], dropped.names, [...documents.keys()]])
}

/** Those of a function are known only once it has yielded them. */
function seedsOf({ seeds }: Spider, dropped: DroppedParameters): ReadonlySet<string> {
  if (typeof seeds === 'function') return new Set()
  const urls = seeds.map((seed) => parseUrl(typeof seed === 'string' ? seed : seed.url) ?? '')
  return new Set(urls.map((url) => canonicalUrl(dropped.from(url))))
}
