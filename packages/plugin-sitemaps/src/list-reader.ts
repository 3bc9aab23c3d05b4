// Reads a list piece by piece: what it is follows from its first characters, its URLs as they come. One port for XML, text and JSON.
import type { ListKind } from './entry.ts'

/** A reader of one format. */
export interface ListReader {
  /** Known once the root element has come. */
  readonly kind: ListKind
  /** Why it reads no further, or what it lacks. */
  readonly problem?: string | undefined
  /** The next characters. */
  write(text: string): void
  /** All has come; `isWhole`: nothing was cut off. */
  end(isWhole: boolean): void
}

/** Takes what a reader finds, relative to `base`, by default the document; returns false when there is room for no more. */
export type TakeUrl = (found: {
  readonly text: string
  readonly base?: string
  readonly date?: string
  readonly priority?: string
}) => boolean
