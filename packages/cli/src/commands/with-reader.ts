// Opens the store that a command reads, also while another process crawls it, and closes it again.
import type { FrontierReader } from '@avocet/core'
import { openReader } from '@avocet/plugin-sqlite'
import { existingStore } from '../load/store-path.ts'

/** Hands the reader of `store` (or of the only store of `folder`) and its path to `work`. Throws AVO_FRONTIER_…, AVO_USAGE. */
export async function withReader<Answer>(
  folder: string,
  store: string | undefined,
  work: (reader: FrontierReader, path: string) => Promise<Answer>,
): Promise<Answer> {
  const path = await existingStore(folder, store)
  const reader = await openReader(path)
  try {
    return await work(reader, path)
  } finally {
    await reader.close()
  }
}
