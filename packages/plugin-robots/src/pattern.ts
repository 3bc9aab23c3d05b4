// A path pattern with `*` and a `$` at the end, matched in linear time: each piece between two stars is looked for once, from left to right.
//
// The leftmost place for a piece is always good enough, since it leaves most room for the rest; only the last piece of a pattern with `$` is
// tied to a place. So nothing is ever tried again, and `*a*a…*b$` costs what its length says (RFC 9309 §2.2.3).
import { commonPattern } from './octets.ts'

/** A line `Allow: …` or `Disallow: …`, ready to match. */
export interface Rule {
  readonly allow: boolean
  /** In its common form; its length in octets is its weight. */
  readonly pattern: string
  /** What stands before the first star. */
  readonly prefix: string
  /** What stands after each star, but for the last piece of an anchored pattern. */
  readonly pieces: readonly string[]
  /** What the path must end with after the last star; undefined when the pattern has no `$`. Without a star: the empty text. */
  readonly suffix: string | undefined
}

const NO_PIECES: readonly string[] = []

/** Makes a rule of a pattern in octets. */
export function ruleOf(allow: boolean, written: string): Rule {
  const pattern = commonPattern(written)
  // Nearly all patterns are plain, and a file may hold 46,000: what they have in common is there once.
  if (!pattern.includes('*') && !pattern.endsWith('$')) {
    return { allow, pattern, prefix: pattern, pieces: NO_PIECES, suffix: undefined }
  }
  const anchored = pattern.endsWith('$')
  const [prefix = '', ...rest] = (anchored ? pattern.slice(0, -1) : pattern).split('*')
  const suffix = anchored ? (rest.pop() ?? '') : undefined
  return { allow, pattern, prefix, pieces: rest.filter((piece) => piece !== ''), suffix }
}

/** Whether `rule` is about `path`, which is in its common form. */
export function matches({ prefix, pieces, suffix, pattern }: Rule, path: string): boolean {
  if (!path.startsWith(prefix)) return false
  let at = prefix.length
  for (const piece of pieces) {
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  if (suffix === undefined) return true
  // `/a$` has no star that could stand for the rest.
  if (prefix.length + 1 === pattern.length) return at === path.length
  return path.length - suffix.length >= at && path.endsWith(suffix)
}

/** The order in which the first rule that matches decides: the longest; of equals, one that allows (RFC 9309 §2.2.2). */
export function heavier(a: Rule, b: Rule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow)
}
