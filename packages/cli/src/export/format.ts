// How items become the bytes of an output file. One implementation a file ending; none knows files, marks or stores.

/** Turns items into text, batch by batch, in the order of their commit. */
export interface Format {
  /** What the file holds while there is no item. */
  readonly empty: string
  /** What stands after the last item, and gives way to the next batch. */
  readonly tail: string
  /**
   * Items (JSON text) as they are written, with what stands before the first item when `isFirst`.
   * Undefined: what is written no longer fits (a new CSV column); the file must be written anew from the first item.
   */
  encode(items: readonly string[], isFirst: boolean): string | undefined
  /** Takes over what already stands in a file, given its beginning. `fixed`: it is not ours, so it cannot be written anew. */
  adopt?(beginning: string, fixed: boolean): void
}
