// The names of secret parameters that a store knows: what was secret in earlier runs stays secret, also to those who only read.
import type { MemoryParts } from '../frontier-reader.ts'

/** Core's own part of the crawl memory. */
const PART = 'core'

/** Names, decoded and in lower case, that any process was given. What cannot be read says nothing: a reader is no judge of a store. */
export function secretNamesAtRest(crawlMemories: readonly MemoryParts[]): readonly string[] {
  return [...new Set(crawlMemories.flatMap((parts) => namesOf(parts[PART])))].toSorted()
}

function namesOf(text = '[]'): readonly string[] {
  try {
    const [, memory] = JSON.parse(text) as [number, { readonly secretParameters?: readonly string[] }?]
    return memory?.secretParameters ?? []
  } catch {
    return []
  }
}
