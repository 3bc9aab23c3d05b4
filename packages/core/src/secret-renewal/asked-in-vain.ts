// Which pages of a host earlier runs requested for a secret in vain: they let others go first, so that each has its turn over the runs.
//
// A run asks five pages at most, and what waits comes in the same order in each run: without this the first five that hand out nothing would be all that is
// ever asked. A page that is remembered is passed over for half a minute from the beginning of the search, in which the others come, and for one more for each
// that was asked before it.
import { markOf, withMarks, withoutMarks, type Marks } from '../hosts/marks.ts'

/** In this time the other requests of the host come, also at a slow pace: longer than most `Crawl-delay`s. */
export const OTHERS_FIRST_MS = 30_000
/** Of one host, a thousand bytes. */
const MAX_REMEMBERED = 100
const EACH_MS = 1_000

/** The part of a host's memory. */
export interface InVainMemory {
  askedInVain?: Marks
}

/** A page that was requested for the value of a parameter. */
export interface AskedPage {
  readonly url: string
  /** Of the parameter. */
  readonly name: string
}

/** Ms from the beginning of a search in which the page is not asked; 0 where nothing is remembered of it. */
export function passedOverMs({ askedInVain = [] }: InVainMemory, page: AskedPage): number {
  const place = askedInVain.length === 0 ? -1 : askedInVain.indexOf(nameOf(page))
  return place === -1 ? 0 : OTHERS_FIRST_MS + place * EACH_MS
}

/** They were asked in vain, or may not be asked. */
export function rememberInVain(memory: InVainMemory, pages: readonly AskedPage[]): void {
  if (pages.length > 0) memory.askedInVain = withMarks(memory.askedInVain, pages.map(nameOf), MAX_REMEMBERED)
}

/** They led to a value. */
export function forgetInVain(memory: InVainMemory, pages: readonly AskedPage[]): void {
  memory.askedInVain = withoutMarks(memory.askedInVain, pages.map(nameOf))
}

function nameOf({ url, name }: AskedPage): string {
  return markOf(`${name} ${url}`)
}
