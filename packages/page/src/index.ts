// The pages that handlers see: HTML, XML, and what they say to machines.
export { isOldPrice } from './data/microdata.ts'
export { typesOf } from './data/json-ld.ts'
export type { Anchor, FollowOptions, Form, FormValue, SubmitOptions } from './page-content.ts'
export { pageOf } from './html-page.ts'
export type { JsonLd, JsonLdNode, MicrodataItem, MicrodataValue, OpenGraph, OpenGraphMedia, PageMeta } from './data/page-data.ts'
export { elementText, isElement, type DomElement } from './markup/element-text.ts'
