// What a tree may cost while it is being built: so deep, so many elements, so much of the text at a time.
import { AvocetError } from '../errors.ts'

const MAX_DEPTH = 512
const MAX_ELEMENTS = 1_000_000
/** Characters that become a tree in one step: of nothing but tags some 10 ms. */
const PIECE = 32 * 2 ** 10

/** Counts the elements of one tree. */
export class TreeBudget {
  #elements = 0

  /** Counts an element that opens as the `depth`th on the parser's stack. Throws AVO_PAGE_TOO_DEEP above 512, or above 1,000,000 elements. */
  open(depth: number): void {
    if (depth > MAX_DEPTH) throw tooMuch(`expected elements nested at most ${MAX_DEPTH} deep, got more`)
    if (++this.#elements > MAX_ELEMENTS) throw tooMuch(`expected at most ${MAX_ELEMENTS} elements, got more`)
  }
}

/** The pieces of `text`, at least one. */
export function* piecesOf(text: string): Generator<{ readonly piece: string; readonly isLast: boolean }, void, undefined> {
  let at = 0
  for (; at + PIECE < text.length; at += PIECE) yield { piece: text.slice(at, at + PIECE), isLast: false }
  yield { piece: text.slice(at), isLast: true }
}

function tooMuch(message: string): AvocetError {
  return new AvocetError('AVO_PAGE_TOO_DEEP', `${message}; use page.links() and page.body, which need no DOM`)
}
