// Parameters that are named as secret when a store has URLs with their values already: nothing that is kept is rewritten, so a problem says so.
import type { FrontierReader } from '../frontier-reader.ts'
import { SECRET_REFERENCE } from '../secrets/reference.ts'
import { withQueryValues } from '../url/query-values.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'

const AT_ONCE = 1_000
/** A second or two in all, in the one run that names a parameter first; a step of the loop for each page of them. */
const MAX_LOOKED_AT = 200_000

/** The sentence for the report about `names`, decoded and in lower case; undefined when the store has none of their values. */
export async function namedLate(
  { reader, loop }: { readonly reader: Pick<FrontierReader, 'requests'>; readonly loop: Pick<LoopBudget, 'room'> },
  names: readonly string[],
): Promise<string | undefined> {
  const found = new Set<string>()
  let urls = 0
  let lookedAt = 0
  let afterId = 0
  let some = AT_ONCE
  for (; some === AT_ONCE && lookedAt < MAX_LOOKED_AT; lookedAt += some) {
    // A store may answer at once, and then all of it would be one turn of the loop.
    await loop.room(COST.step)
    const requests = await reader.requests({ afterId, limit: AT_ONCE })
    for (const { url } of requests) if (hasValue(url, names, found)) urls++
    some = requests.length
    afterId = requests.at(-1)?.id ?? afterId
  }
  const isAll = some < AT_ONCE
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
