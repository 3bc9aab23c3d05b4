// What a page says beyond its links: structured data, metadata and tables. The part of `Page` that reads them, implemented by `@avocet/page`.
import type { Json } from '@avocet/core'

/** An object of JSON-LD, as it is written: `@type`, `@id` and properties. Values may be texts, numbers, objects or lists of these. */
export type JsonLdNode = { readonly [property: string]: Json }

/** The JSON-LD of a page. */
export interface JsonLd {
  /** Objects at the top of their blocks, in document order; lists and `@graph` are taken apart. */
  readonly nodes: readonly JsonLdNode[]
  /** Blocks that are no JSON, even with common mistakes repaired. */
  readonly broken: number
  /** All objects with one of the types, nested ones included: `Product` also finds `http://schema.org/Product`. */
  ofType(...types: readonly string[]): readonly JsonLdNode[]
  /** The fullest object with this `@id`: others may only refer to it. */
  byId(id: string): JsonLdNode | undefined
}

/** An item of microdata. */
export interface MicrodataItem {
  /** Of `itemtype`, as written: URLs. */
  readonly type: readonly string[]
  /** Of `itemid`, absolute. */
  readonly id?: string
  /** Values of each property in document order; URLs are absolute, texts have their white space folded. */
  readonly properties: { readonly [name: string]: readonly MicrodataValue[] }
}

/** A value of microdata: text, a URL, or an item. */
export type MicrodataValue = string | MicrodataItem

/** The `<meta>` fields of a page, by `name` or `property`, in any case. At most 1,000 are read. */
export interface PageMeta {
  /** Names in lower case, each once, in document order. */
  readonly names: readonly string[]
  /** Content of the first field of this name, white space at its ends removed. */
  first(name: string): string | undefined
  /** Content of all fields of this name. */
  all(name: string): readonly string[]
}

/** Open Graph metadata. URLs are absolute. Source: https://ogp.me. */
export interface OpenGraph {
  /** As written. */
  readonly title?: string
  /** `website`, `product`, … */
  readonly type?: string
  /** Absolute. */
  readonly url?: string
  /** A sentence or two. */
  readonly description?: string
  /** Of the whole site. */
  readonly siteName?: string
  /** `en_GB` */
  readonly locale?: string
  /** In document order. */
  readonly images: readonly OpenGraphMedia[]
  /** In document order. */
  readonly videos: readonly OpenGraphMedia[]
  /** In document order. */
  readonly audios: readonly OpenGraphMedia[]
  /** Everything else that has a prefix, under its whole name: `product:price:amount`, `article:author`. The first of each name. */
  readonly other: { readonly [name: string]: string }
}

/** An image, video or audio file of Open Graph. */
export interface OpenGraphMedia {
  /** Absolute. */
  readonly url: string
  /** Pixels. */
  readonly width?: number
  /** Pixels. */
  readonly height?: number
  /** What is to be seen. */
  readonly alt?: string
  /** MIME type */
  readonly type?: string
}

/** What is read of a page beyond its links. Each part is read on first use and kept. */
export interface PageData {
  /** Objects of all `<script type="application/ld+json">`. Needs no DOM. */
  readonly jsonLd: JsonLd
  /** Items of microdata that belong to no other item. Builds the DOM. Source: HTML standard, section 5.4 (JSON). */
  readonly microdata: readonly MicrodataItem[]
  /** Needs no DOM. */
  readonly openGraph: OpenGraph
  /** `<meta>` by `name` or `property`. Needs no DOM. */
  readonly meta: PageMeta
  /** `href` as a URL to request; undefined for what is no http(s) URL. Needs no DOM. */
  absolute(href: string): string | undefined
  /** Attribute of the first element that matches, as written. Builds the DOM. */
  attr(selector: string, name: string): string | undefined
  /** Text of each element that matches, white space folded. Builds the DOM. */
  texts(selector: string): readonly string[]
}
