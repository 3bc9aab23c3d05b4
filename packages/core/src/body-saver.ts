// Port: takes the body of one response piece by piece, so that it is never whole in memory.
import type { Failure } from './failure.ts'
import type { ResponseHead, SavedBody } from './response.ts'

/**
 * Saves the body of one exchange. Its calls are synchronous, and none may throw.
 *
 * Order: `accepts` once, at the headers of a final 2xx response that may have a body; if it answers `save`: `write` any number of times, then exactly one of
 * `end` and `abort`. An exchange that ends before `accepts` never calls it, so it opens nothing before that. What was ended is finished by the saver alone,
 * also if the exchange is aborted meanwhile: then nobody hears its outcome.
 *
 * A failure that it reports ends the exchange: the exchange adds what it knows itself (`phase`, `sent`, `wireBytes`, `timings`).
 */
export interface BodySaver {
  /** Fields that the request needs for it, in lower case: no content coding, and the range of what is missing. They replace those of the request. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the body on the wire at most; beyond that the exchange fails with AVO_BODY_TOO_LARGE. It replaces the fetcher's limits. */
  readonly maxBytes: number
  /** `save`: it takes the body. `read`: the body is handled as any other. A failure: that is not what was wanted, and none of the body is read. */
  accepts(head: ResponseHead): 'save' | 'read' | Failure
  /**
   * Takes the next piece, as it came over the wire; it may be kept. False: send no more until it has drained. What the server sent before it closed the
   * connection may still come then. A failure: it cannot be saved, and `abort` follows.
   */
  write(piece: Uint8Array): boolean | Failure
  /** Calls back once when there is room again, or with why there will be none; asked after a `write` that was false. */
  drained(callback: (trouble?: Failure) => void): void
  /** The body is complete. A failure of this machine, such as a full disk, is AVO_FILE_UNWRITABLE: the request waits, uncounted, and nobody is blamed. */
  end(done: (outcome: SavedBody | Failure) => void): void
  /** The exchange ended without the whole body. What can be resumed is kept. */
  abort(): void
}
