// Hands a batch to a sink, and says what became of it.
import { ItemsRefused, type Written } from '@avocet/core/sink'
import type { Batch } from './backlog.ts'
import { checkedAnswer } from './checked-mark.ts'
import type { CommittedItem } from './committed-item.ts'
import type { OpenSink } from './open-sink.ts'

const NONE_REFUSED = 'expected ItemsRefused with keys of items of the batch, got none of these'

/** What became of a batch. `refused`: the sink can never take these items. */
export type HandedOver =
  | { readonly became: 'written'; readonly answer: Written }
  | { readonly became: 'refused'; readonly items: readonly CommittedItem[]; reasonOf(item: CommittedItem): string }
  | { readonly became: 'failed'; readonly error: unknown }

/** `handedUpTo`: the number up to which the sink has got items. */
export async function handOver(
  session: Pick<OpenSink, 'write'>,
  { items, mark }: Batch,
  handedUpTo: number,
): Promise<HandedOver> {
  try {
    return { became: 'written', answer: checkedAnswer(await session.write({ items, mark }), handedUpTo) }
  } catch (error) {
    if (!(error instanceof ItemsRefused)) return { became: 'failed', error }
    const refused = items.filter(({ key }) => error.reasons.has(key))
    if (refused.length === 0) return { became: 'failed', error: new Error(NONE_REFUSED) }
    return { became: 'refused', items: refused, reasonOf: ({ key }) => error.reasons.get(key) ?? '' }
  }
}
