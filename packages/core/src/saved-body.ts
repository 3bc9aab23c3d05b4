// The body of a response that a plugin had saved instead of read: where it is.
/** A body that was saved: whole, synced, and under its final name. */
export interface SavedBody {
  /** Relative to the folder that the saver was made for; `/` between its parts. */
  readonly path: string
  /** Of the whole, hexadecimal. */
  readonly sha256: string
  /** Of the whole, with what earlier exchanges brought. */
  readonly bytes: number
}
