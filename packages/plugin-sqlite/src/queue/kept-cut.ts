// Where the links of a page were cut, while the page fails or moves: what they wait for is not forgotten, whatever befalls the page meanwhile.
//
// The row of `trouble` is then that of the failure, or of the move, and the cut stands behind its target: 'https://a.example/login {"for":"new-urls",…}', or
// ' {…}' where there is no target. No URL holds a space or a quotation mark, so the two can be told apart. A table of their own would be one more tree
// to read for each page that fails, for a case as rare as this.
import { storedJson, type Cut } from '@avocet/core'
import { CUT } from '../file/schema.ts'

const MARK = ' {"for":'

/** SQL: whether the row `t` of `trouble` says where links were cut. */
export const HAS_CUT: string = `(t.blame = '${CUT}' OR instr(t.target, '${MARK}') > 0)`

/** SQL: whether they wait for one of these words, a JSON list. */
export const CUT_FOR: string = `EXISTS (SELECT 1 FROM json_each(?) w WHERE iif(t.blame = '${CUT}', (SELECT word FROM reason WHERE id = t.reason) = w.value,
  instr(t.target, '${MARK}' || json_quote(w.value)) > 0))`

/** What is written as the target of a page that failed, or moved to `target`. */
export function withCut(target: string, cut: Cut | undefined): string | null {
  if (cut === undefined) return target || null
  const { for: reason, ...rest } = cut
  return `${target} ${JSON.stringify({ for: reason, ...rest })}`
}

/** Of what `withCut` wrote: where the page moved to, and where its links were cut. */
export function withoutCut(written: string | null): { readonly target: string | null; readonly cut?: Cut } {
  const mark = written?.indexOf(MARK) ?? -1
  if (written === null || mark < 0) return { target: written }
  return {
    target: written.slice(0, mark) || null,
    cut: storedJson(written.slice(mark), 'where the links of a page were cut') as Cut,
  }
}
