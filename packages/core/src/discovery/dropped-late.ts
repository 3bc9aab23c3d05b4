// Parameters that are dropped by another list than in earlier runs: URLs that are known stay as they are, so a problem says what that means.
import { DroppedParameters } from '../url/dropped-parameters.ts'
import { countUrls, type StoredUrls } from './stored-urls.ts'

/** The names of earlier runs and of this one, as they are compared. */
interface Lists {
  readonly earlier: readonly string[]
  readonly dropped: DroppedParameters
}

/** The sentences for the report. `dropped` is what this run removes from URLs. */
export async function droppedLate(store: StoredUrls, { earlier, dropped }: Lists): Promise<readonly string[]> {
  const { names } = dropped
  const added = names.filter((name) => !earlier.includes(name))
  const removed = earlier.filter((name) => !names.includes(name))
  const kept = removed.length === 0 ? [] : [keptNow(removed)]
  if (added.length === 0) return kept
  const found = new Set<string>()
  const dropping = added.map((name) => ({ name, only: new DroppedParameters([name]) }))
  const { urls, isAll } = await countUrls(store, (url) => {
    if (dropped.from(url) === url) return false
    const those = dropping.filter(({ only }) => only.from(url) !== url)
    for (const { name } of those) found.add(name)
    return those.length > 0
  })
  return urls === 0 ? kept : [...kept, knownWith([...found].toSorted(), { urls, isAll })]
}

/** A default list has two dozen names. */
const MAX_NAMED = 4

function some(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function keptNow(names: readonly string[]): string {
  const those = some(names)
  return (
    `scope.dropParameters lacks ${those}, which earlier runs removed from URLs: links that have a value are pages of their own from now on, ` +
    'and may be pages that are known without it; to have each page once, put it back, or start over with --fresh'
  )
}

function knownWith(names: readonly string[], { urls, isAll }: { readonly urls: number; readonly isAll: boolean }): string {
  const what = `${isAll ? '' : 'at least '}${urls === 1 ? '1 URL' : `${urls} URLs`}`
  return (
    `the store keeps ${what} with ${some(names)}, which earlier runs did not remove from URLs: they stay as they are, ` +
    'and their pages are requested once more when a link leads to them; to have each page once, start over with --fresh'
  )
}
