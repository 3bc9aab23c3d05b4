// The door for what reads pages further: the types of what a page says to machines, and the text of its elements.
export { isElement, type DomElement } from '../markup/dom-element.ts'
export { elementText } from '../markup/element-text.ts'
export type {
  Feed,
  FeedEntry,
  JsonLd,
  JsonLdNode,
  MicrodataItem,
  MicrodataValue,
  OpenGraph,
  OpenGraphMedia,
  PageMeta,
  PageTable,
} from '../page-data.ts'
export { typesOf } from '../page-data/json-ld.ts'
export { isOldPrice } from '../page-data/old-price.ts'
