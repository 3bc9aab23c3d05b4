// What is in the element of a price beside that price: it makes one number of two, or two of one.
import type { DomElement } from './dom-element.ts'

/** What is struck through; and what WordPress says for screen readers alone, which is the old price and the new one once more. */
export function isOldPrice({ name, attribs }: DomElement): boolean {
  return /^(?:del|s|strike)$/.test(name) || /(?:^|\s)screen-reader-text(?:\s|$)/.test(attribs['class'] ?? '')
}
