// What is kept of a file that was saved: one row for each reference.

/** A saved file, as `avocet files`, exports and sinks show it. */
export type FileRecord = {
  /** What items refer to it by: that of its `file()`. */
  readonly ref: string
  /** Where it came from: the target, if it was redirected. Secret values are shown as `__secret__`. */
  readonly url: string
  /** Relative to the folder of files; `/` between its parts. Files with the same content have the same path. */
  readonly path: string
  /** Of its content, hexadecimal. */
  readonly sha256: string
  /** Its size. */
  readonly bytes: number
  /** By its first bytes, else as the server says; empty when neither says. */
  readonly contentType: string
  /** Epoch ms. */
  readonly fetchedAt: number
}
