// Tells a ban from private pages: forbidden answers in a row, at a host that served pages before. Pure, small JSON, absent while none was forbidden.
//
// A ban begins at one moment and forbids everything. Its first answer looks like a private page and is taken for one; the second makes a row. But
// where every other page is private, rows are common too, so a row looks like a ban only once it is longer than any that was over within a minute.
// (Of n pages, half of them private at random, about log2 n are then asked for again; every second one: none.) A ban is not over within a minute,
// and if it was, the first page that is served after all says that those were not private, and the record is forgotten.
// Rejected: the share of forbidden answers, as breakers have it. It takes ten pages to be sure, and each of them would be lost.

/** Forbidden answers of one host. */
export interface Blocks {
  /** Since the last answer of another kind; 0 = the row is over. */
  readonly inRow: number
  /** The exchange that began the row, and epoch ms of its end. */
  readonly firstSeq: number
  readonly firstAt: number
  /** Longest row that was over within a minute: as many private pages may stand side by side. */
  readonly longestPrivate: number
}

/** An answer that is no failure. */
export interface Heard {
  readonly seq: number
  /** Epoch ms. */
  readonly now: number
}

const SHORTEST_BAN_MS = 60_000

/** The record after an answer that a ban comes with. */
export function forbidden(blocks: Blocks | undefined, { seq, now }: Heard): Blocks {
  if (blocks === undefined || blocks.inRow === 0)
    return { inRow: 1, firstSeq: seq, firstAt: Math.round(now), longestPrivate: blocks?.longestPrivate ?? 0 }
  return { ...blocks, inRow: blocks.inRow + 1 }
}

/** The record after any other answer; undefined = nothing to remember. `rescued`: this page was asked for again, and now it is served. */
export function allowed(blocks: Blocks, { seq, now, rescued }: Heard & { readonly rescued: boolean }): Blocks | undefined {
  const { inRow, firstSeq, firstAt, longestPrivate } = blocks
  // Sent before the row began, so it says nothing about what came after.
  if (seq < firstSeq) return blocks
  const wasBan = now - firstAt >= SHORTEST_BAN_MS
  const longest = rescued ? 0 : wasBan ? longestPrivate : Math.max(longestPrivate, inRow)
  if (longest === 0) return undefined
  return inRow === 0 && longest === longestPrivate ? blocks : { ...blocks, inRow: 0, longestPrivate: longest }
}

/** Whether the last forbidden answer looks like one of a ban. */
export function looksBanned({ inRow, longestPrivate }: Blocks): boolean {
  return inRow >= 2 && inRow > longestPrivate
}
