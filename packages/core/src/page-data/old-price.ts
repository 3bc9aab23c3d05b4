// Which elements hold an old price: inside the element of a price they are no part of it, or two numbers would be read as one.
import type { DomElement } from '../markup/dom-element.ts'

/** What is struck through; and what WordPress says for screen readers alone, which is the old price and the new one once more. */
export function isOldPrice({ name, attribs }: DomElement): boolean {
  return /^(?:del|s|strike)$/.test(name) || /(?:^|\s)screen-reader-text(?:\s|$)/.test(attribs['class'] ?? '')
}
