// The newest items of a store, and those that were refused.
import type { ItemsPicture } from '@avocet/dashboard'
import type { FrontierReader } from '@avocet/core/store'

const SHOWN = 50
/** Longer items are cut: a page may yield megabytes. */
const MAX_CHARACTERS = 4_000
const MAX_REJECTS = 50

/** As they are now. */
export async function itemsPicture(
  reader: Pick<FrontierReader, 'items' | 'counts' | 'rejects' | 'problems'>,
): Promise<ItemsPicture> {
  const newest = await reader.items({ newestFirst: true, limit: SHOWN })
  const { items: count, rejects: rejectCount = 0 } = await reader.counts()
  const rejects = rejectCount === 0 ? [] : await reader.rejects({ limit: MAX_REJECTS })
  const groups = rejectCount === 0 ? [] : (await reader.problems()).rejects
  return {
    count,
    items: newest.map(({ seq, url, json }) => ({ seq, url, json: cut(json) })),
    rejectCount,
    rejectGroups: groups.map(({ source, reason, count: times }) => ({ source, reason, count: times })),
    rejects: rejects.map(({ id, source, url, reason, json }) => ({ id: String(id), source, url, reason, json: cut(json) })),
  }
}

function cut(json: string): string {
  return json.length > MAX_CHARACTERS ? `${json.slice(0, MAX_CHARACTERS)}…` : json
}
