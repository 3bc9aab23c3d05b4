// The mark of a file in a copy of its store: both stores would go on with the file, and write the same items.
import type { SinkMark } from '@avocet/core/sink'
import { fileState } from './file-state.ts'

/** The same mark, saying that it was copied; of a sink that is no file, as it is. */
export function copiedMark(mark: SinkMark): SinkMark {
  const { state } = mark
  if (typeof state !== 'object' || state === null || !('start' in state) || fileState(mark)?.end === undefined) return mark
  return { ...mark, state: { ...state, isCopied: true } }
}
