// A mark as a sink gives it: it is written to the store, and decides what the sink gets next.

/** The store keeps it in a row: enough for a list of parts, and not for the items themselves. */
import type { SinkMark, Written } from '@avocet/core/sink'
import { shown } from '@avocet/core/store'
import { unlikeJson } from '@avocet/core/tools'
const MAX_STATE_BYTES = 65_536

/** The mark. Throws an Error for one that is none; `most`: the last item that the sink has got. */
export function checkedMark(mark: unknown, most: number): SinkMark {
  const { itemSeq, state } = (typeof mark === 'object' && mark !== null ? mark : {}) as Partial<SinkMark>
  if (!Number.isSafeInteger(itemSeq) || itemSeq === undefined || itemSeq < 0)
    throw new Error(`expected a mark of the sink to have an itemSeq of 0 or more, got ${shown(mark)}`)
  if (itemSeq > most)
    throw new Error(`expected a mark of the sink at item ${most} at most, which is the last that it got, got ${itemSeq}`)
  if (state === undefined) return { itemSeq }
  const unlike = unlikeJson(state)
  if (unlike !== undefined) throw new Error(`expected the state of a mark to be JSON, got ${shown(state)}`)
  if (Buffer.byteLength(JSON.stringify(state)) > MAX_STATE_BYTES)
    throw new Error(`expected the state of a mark to have ${MAX_STATE_BYTES} bytes at most; keep large things in the sink itself`)
  return { itemSeq, state }
}

/** What a sink answered to a batch, with checked marks. */
export function checkedAnswer(answer: Written | undefined, most: number): Written {
  const { mark, rewind } = answer ?? {}
  return {
    ...(mark !== undefined && { mark: checkedMark(mark, most) }),
    ...(rewind !== undefined && { rewind: checkedMark(rewind, most) }),
  }
}
