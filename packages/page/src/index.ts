// The pages that handlers see: HTML, XML, and what they say to machines.
export { isOldPrice } from './data/microdata.ts'
export { typesOf } from './data/json-ld.ts'
export { pageOf } from './html-page.ts'
export { elementText, isElement, type DomElement } from './markup/element-text.ts'
