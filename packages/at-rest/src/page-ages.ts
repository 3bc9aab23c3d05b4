// How old is what a store knows of pages that are visited again: since when nobody has looked whether it is still so.
//
// Of a sample, as pages are known in the order of their discovery: pages of one host lie together, so it is taken in many small parts.
import type { FrontierReader } from '@avocet/core/store'
import type { StoredReport } from '@avocet/core/tools'

const PARTS = 64
const PART = 32

/** In ms, of pages that were had at their last visit; undefined where none is visited again. `known`: requests of the store. */
export async function pageAges(reader: FrontierReader, known: number, now: number): Promise<StoredReport['ages']> {
  const step = Math.max(PART, Math.ceil(known / PARTS))
  const ages: number[] = []
  for (let afterId = 0; afterId < known; afterId += step) {
    for (const { notBefore, fetchedAt } of await reader.requests({ state: 'done', afterId, limit: PART }))
      if (notBefore !== undefined && fetchedAt !== undefined) ages.push(Math.max(0, now - fetchedAt))
  }
  ages.sort((a, b) => a - b)
  const at = (share: number): number => ages[Math.floor(share * (ages.length - 1))] ?? 0
  return ages.length === 0 ? undefined : { medianMs: at(0.5), p99Ms: at(0.99), pages: ages.length }
}
