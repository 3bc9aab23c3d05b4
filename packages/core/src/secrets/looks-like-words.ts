// Whether a value is one that people write and read, such as `in stock`, `12,99` or `Material`: a credential seldom looks like that.
import { MIN_CHARACTERS_IN_TEXT } from './known-values.ts'

/** Between words. A hyphen is part of one. */
const BETWEEN = /[\s,.()/:;!?"'€$£%+&]+/u
/** In one case, or with a capital; a small number; a date. */
const WORD = /^(?:\p{Lu}?[\p{Ll}\p{Lo}]*(?:[-_][\p{L}]+)*|\p{Lu}+(?:[-_]\p{Lu}+)*|\d{1,5}|\d{4}-\d\d-\d\d)$/u
/** The longest words of natural languages, nearly; random letters of one case are no longer. */
const MAX_WORD = 24

/** Whether `value`, one octet a character, is words, small numbers or both. */
export function looksLikeWords(value: string): boolean {
  if (value.length < MIN_CHARACTERS_IN_TEXT) return true
  const text = /^[\0-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString()
  return text.split(BETWEEN).every((word) => word.length <= MAX_WORD && WORD.test(word))
}
