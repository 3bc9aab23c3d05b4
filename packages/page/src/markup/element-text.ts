// Elements of the DOM behind `page.$`, for readers that walk through it, because selectors would cost more than the walk; and their text as a reader of data
// wants it: lines have a space between them, and it costs no more than it may.
import type { Page } from '@avocet/core'
import { decodeTextReferences } from './character-references.ts'

/** Source: DOM standard, `Node.TEXT_NODE`. */
const TEXT_NODE = 3

/** What an element contains. */
export type DomNode =
  ReturnType<Page['$']['root']> extends Iterable<infer Root extends { readonly children: unknown }>
    ? Extract<Root['children'], readonly unknown[]>[number]
    : never

/** An element: `name` in lower case in HTML, `attribs`, `children`. */
export type DomElement = Extract<DomNode, { readonly attribs: unknown }>

/** Whether `node` is an element. */
export function isElement(node: DomNode): node is DomElement {
  return 'attribs' in node
}

/** The data of `node` if it is a text. */
function textOfNode(node: DomNode): string | undefined {
  return 'data' in node && node.nodeType === TEXT_NODE ? node.data : undefined
}

/** The elements directly in `element`. */
export function childElements(element: DomElement): readonly DomElement[] {
  return element.children.filter(isElement)
}

/** Whether `element` is in a `<template>`: unless that is a shadow root, it is not part of the document. */
export function isInTemplate(element: DomElement): boolean {
  for (let at = element.parent; at !== null; at = at.parent) {
    if (isElement(at) && at.name === 'template' && at.attribs['shadowrootmode'] === undefined) return true
  }
  return false
}

/** Elements that begin a line of their own, so that `<p>1</p><p>2</p>` and `1<br>2` are no 12. */
const BREAKS = /^(?:br|p|div|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|section|article|pre|blockquote|hr)$/
const NO_TEXT = /^(?:script|style|template)$/
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** What may still be read: each node and each character counts, because elements in each other have the same text again and again. */
interface TextBudget {
  left: number
}

/**
 * Text of `element`, white space folded, without scripts and styles. Digits in `<sup>` stay raised, so that `12<sup>99</sup>` is no 1299. What
 * `isLeftOut` is left out.
 */
export function elementText(element: DomElement, budget: TextBudget, isLeftOut?: (element: DomElement) => boolean): string {
  const parts: string[] = []
  const pending: DomNode[] = [...element.children].toReversed()
  for (let node = pending.pop(); node !== undefined && budget.left > 0; node = pending.pop()) {
    const text = textOfNode(node) ?? ''
    budget.left -= 1 + text.length
    parts.push(text)
    if (!isElement(node) || NO_TEXT.test(node.name) || isLeftOut?.(node) === true) continue
    const raised = node.name === 'sup' ? raisedDigits(node) : undefined
    if (raised !== undefined) {
      parts.push(raised)
      continue
    }
    if (BREAKS.test(node.name)) parts.push(' ')
    for (const child of node.children.toReversed()) pending.push(child)
  }
  return foldSpace(parts.join(''))
}

/** Elements in each other that are looked through for the digits of a `<sup>`. */
const MAX_AROUND = 3

/** The digits of a `<sup>` that has nothing else, or with a sign behind them: `99 €`, `1)`. */
function raisedDigits(element: DomElement): string | undefined {
  let inner: DomNode | undefined = element
  for (let depth = 0; depth < MAX_AROUND && inner !== undefined && isElement(inner); depth++)
    inner = inner.children.length === 1 ? inner.children[0] : undefined
  const [, digits, sign = ''] = /^\s*(\d{1,4})\s*([^\d\s]{0,4})\s*$/.exec((inner && textOfNode(inner)) ?? '') ?? []
  if (digits === undefined) return undefined
  return `${Array.from(digits, (digit) => RAISED[Number(digit)]).join('')}${sign === '' ? '' : ` ${sign}`}`
}

// The text of an anchor or title as people read it: references decoded, white space folded, cut at a length.

/** Raw text is gathered up to this many characters for each that is kept: white space and references shrink. */
const RAW_PER_KEPT = 10

/** Where text is between two tags. */
interface Stretch {
  readonly from: number
  readonly to: number
}

/** `text`, and what is between two tags of `html`, decoded: no more than `foldSpace` needs for `maxLength` characters. */
export function gathered(text: string, html: string, { from, to }: Stretch, maxLength: number): string {
  const room = maxLength * RAW_PER_KEPT - text.length
  if (room <= 0 || from >= to) return text
  const raw = html.slice(from, Math.min(to, from + room))
  return text + decodeTextReferences(raw)
}

/** `text` with runs of white space as one space, none at the ends, at most `maxLength` characters, never half of a surrogate pair. */
export function foldSpace(text: string, maxLength: number = Infinity): string {
  const folded = /[^\S ]|\s\s|^\s|\s$/.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text
  if (folded.length <= maxLength) return folded
  const last = folded.charCodeAt(maxLength - 1)
  return folded.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? maxLength - 1 : maxLength)
}
