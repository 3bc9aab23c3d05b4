// How requests to one host ended: by status, and by failure where there was no answer; of those that went wrong the last URL. A pure law.
//
// It is memory of the host, which is read and written with every lease: few kinds have a row of their own, the others share one, and URLs are cut.

/** `[how, count, epoch ms of the last, its URL if it went wrong]`; `how` is a status (`404`) or a failure (`dns-not-found`). */
export type EndRow = readonly [how: string, count: number, lastAt: number, url?: string]

/** How one exchange ended. */
export interface NamedEnd {
  readonly how: string
  /** Epoch ms. */
  readonly at: number
  /** Of what went wrong. */
  readonly url?: string
}

/** Kinds with a row of their own. A server can answer with any of 900 statuses. */
const MAX_KINDS = 16
const OTHERS = 'others'
/** Longer ones are cut: they show where to look. */
const MAX_URL = 200

/** `rows` with one more. */
export function countedEnd(rows: readonly EndRow[], { how, at, url }: NamedEnd): readonly EndRow[] {
  const known = rows.some(([name]) => name === how)
  const name = known || rows.length < MAX_KINDS ? how : OTHERS
  const place = rows.findIndex(([other]) => other === name)
  const count = (rows[place]?.[1] ?? 0) + 1
  const row: EndRow =
    url === undefined
      ? [name, count, Math.round(at)]
      : [name, count, Math.round(at), url.length > MAX_URL ? `${url.slice(0, MAX_URL)}…` : url]
  return place < 0 ? [...rows, row] : rows.with(place, row)
}
