// The number of the newest item of a store. Numbers ascend, and may have gaps: there are at least as many as items.
import type { FrontierReader } from '@avocet/core/store'

/** It; 0 where there is no item. Without gaps it takes one look. */
export async function lastItemNumber(reader: Pick<FrontierReader, 'items' | 'counts'>): Promise<number> {
  const hasAfter = async (seq: number): Promise<boolean> => (await reader.items({ afterSeq: seq, limit: 1 })).length > 0
  let { items: below } = await reader.counts()
  let step = 1
  while (await hasAfter(below + step - 1)) {
    below += step
    step *= 2
  }
  for (; step > 1; step /= 2) if (await hasAfter(below + step / 2 - 1)) below += step / 2
  return below
}
