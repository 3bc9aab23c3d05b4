// The pages that handlers see: HTML, XML, and what they say to machines.
export { isOldPrice } from './data/microdata.ts'
export { typesOf } from './data/json-ld.ts'
export type { Form, FormValue, SubmitOptions } from './form.ts'
export { pageOf } from './html-page.ts'
export type { Anchor, FollowOptions } from './page-content.ts'
export type {
  JsonLd,
  JsonLdNode,
  MicrodataItem,
  MicrodataValue,
  OpenGraph,
  OpenGraphMedia,
  PageMeta,
  PageTable,
} from './data/page-data.ts'
export { elementText, isElement, type DomElement } from './markup/element-text.ts'
