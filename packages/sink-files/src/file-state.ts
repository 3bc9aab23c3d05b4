// What the mark of a file keeps beside the number of the last item: where the file ends, where our part of it begins, and how the end is known again.
//
// The end says what the last bytes were, so that a file that others changed or replaced between two runs is not cut in the middle of a line; in which format
// it was written; and whether the run has ended behind it: then what follows is not of a batch that a kill interrupted, but of somebody else.
import { createHash } from 'node:crypto'
import type { SinkMark } from '@avocet/core/sink'

/** A place in the items, and in the file. */
export interface FilePlace {
  readonly itemSeq: number
  readonly bytes: number
}

/** The end of the file, as it was marked. */
export interface FileEnd {
  /** Where that was: of a mark that was moved it says nothing. */
  readonly bytes: number
  readonly hash: string
  readonly format: string
  /** Nothing was being written. */
  readonly isWhole: boolean
}

/** What is kept. */
export interface FileState {
  /** Everything up to this item is before byte `bytes`. */
  readonly mark: FilePlace
  /** Everything up to this item is in other files; the rest begins at byte `bytes` of this one. */
  readonly start: FilePlace
  /** Absent where it says nothing of the mark. */
  readonly end?: FileEnd
  /** The store is a copy (`copiedMark`), and has not written to the file yet: another one may. */
  readonly isCopied?: boolean
}

/** As the store keeps it. */
export function fileMark({ mark: { itemSeq, bytes }, start, end }: FileState): SinkMark {
  return { itemSeq, state: { bytes, start: { ...start }, ...(end && { end: { ...end } }) } }
}

/** As it was kept; undefined: nothing was. */
export function fileState(mark: SinkMark | undefined): FileState | undefined {
  if (mark === undefined) return undefined
  const { start, end, isCopied } = fieldsOf(mark.state) as { readonly [field in 'start' | 'end' | 'isCopied']?: unknown }
  const { itemSeq = 0 } = fieldsOf(start) as Partial<FilePlace>
  const bytes = bytesOf(mark.state)
  const known = fieldsOf(end) as Partial<FileEnd>
  return {
    mark: { itemSeq: mark.itemSeq, bytes },
    start: { itemSeq, bytes: bytesOf(start) },
    ...(known.bytes === bytes && { end: known as FileEnd }),
    ...(isCopied === true && { isCopied }),
  }
}

/** The mark of a file in a copy of its store, which says so: both stores would go on with the file, and write the same items. Of another sink, as it is. */
export function copiedMark(mark: SinkMark): SinkMark {
  const { state } = mark
  if (typeof state !== 'object' || state === null || !('start' in state) || fileState(mark)?.end === undefined) return mark
  return { ...mark, state: { ...state, isCopied: true } }
}

/** Of the last bytes. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}

function bytesOf(state: unknown): number {
  const { bytes = 0 } = fieldsOf(state) as Partial<FilePlace>
  return bytes
}

function fieldsOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
