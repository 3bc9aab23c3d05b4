// Parameters that are named as secret when a store has URLs with their values already: nothing that is kept is rewritten, so a problem says so.
import { SECRET_REFERENCE } from '../secrets/reference.ts'
import { withQueryValues } from '../url/query-values.ts'
import { countUrls, MAX_LOOKED_AT, type StoredUrls } from './stored-urls.ts'

/** The sentence for the report about `names`, decoded and in lower case; undefined when the store has none of their values. */
export async function namedLate(store: StoredUrls, names: readonly string[]): Promise<string | undefined> {
  const found = new Set<string>()
  const { urls, isAll } = await countUrls(store, (url) => hasValue(url, names, found))
  if (urls === 0 && isAll) return undefined
  if (urls === 0)
    return (
      `the first ${MAX_LOOKED_AT} URLs of the store have no value of ${names.join(', ')}, which was not secret in earlier runs; ` +
      'the URLs after them were not checked and stay as they are; to be sure, start with an empty store (--fresh)'
    )
  const least = isAll ? '' : 'at least '
  const what = urls === 1 ? '1 URL' : `${urls} URLs`
  return (
    `the store keeps ${least}${what} with a value of ${[...found].toSorted().join(', ')}, which was not secret in earlier runs: ` +
    'they stay as they are, and so do items, outputs and events of those runs, and what this run and later ones print of these URLs; ' +
    'to remove them, start with an empty store (--fresh)'
  )
}

/** Adds the names of which `url` has a value to `found`; whether there is any. */
function hasValue(url: string, names: readonly string[], found: Set<string>): boolean {
  let has = false
  withQueryValues(url, (name, value) => {
    if (value === SECRET_REFERENCE || !names.includes(name)) return value
    found.add(name)
    has = true
    return value
  })
  return has
}
