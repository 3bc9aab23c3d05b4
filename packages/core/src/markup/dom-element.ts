// An element of the DOM behind `page.$`, for readers that walk through it: selectors would cost more than the walk.
import type { Page } from '../page.ts'

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
export function textOfNode(node: DomNode): string | undefined {
  return 'data' in node && node.nodeType === TEXT_NODE ? node.data : undefined
}

/** The elements directly in `element`, of one name if it is given. */
export function childElements(element: DomElement, name?: string): readonly DomElement[] {
  const all = element.children.filter(isElement)
  return name === undefined ? all : all.filter((child) => child.name === name)
}
