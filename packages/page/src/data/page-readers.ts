// Reads what a page says beyond its links, each part when it is first asked for, and keeps it. What a page is made of comes from the class that extends this.
import type { Page } from '@avocet/core'
import type { JsonLd, MicrodataItem, OpenGraph, PageData, PageMeta } from './page-data.ts'
import { jsonLdOf } from './json-ld.ts'
import { foldSpace } from '../markup/element-text.ts'
import { openGraphOf, pageMetaOf, scanMetadata, type MetadataScan } from './metadata.ts'
import { microdataOf } from './microdata.ts'

const LD_JSON = 'application/ld+json'

/** What has been read. One object for all parts, so that a page of which nothing is read carries one empty field. */
interface Kept {
  scan?: MetadataScan
  jsonLd?: JsonLd
  microdata?: readonly MicrodataItem[]
  openGraph?: OpenGraph
  meta?: PageMeta
}

/** A page that can read these, given its body and its DOM. */
export abstract class PageReaders implements PageData {
  #kept: Kept | undefined

  abstract readonly body: string
  abstract readonly baseUrl: string
  abstract readonly contentType: string
  abstract readonly isHtml: boolean
  abstract readonly $: Page['$']
  abstract absolute(href: string): string | undefined
  abstract readonly isXml: boolean

  get jsonLd(): JsonLd {
    const kept = this.#read
    kept.jsonLd ??= jsonLdOf(this.contentType === LD_JSON ? [this.body] : this.#metadata.blocks)
    return kept.jsonLd
  }

  get microdata(): readonly MicrodataItem[] {
    const kept = this.#read
    kept.microdata ??= this.isHtml ? microdataOf(this.$, this.baseUrl) : []
    return kept.microdata
  }

  get openGraph(): OpenGraph {
    const kept = this.#read
    kept.openGraph ??= openGraphOf(this.#metadata.fields, (href) => this.absolute(href))
    return kept.openGraph
  }

  get meta(): PageMeta {
    const kept = this.#read
    kept.meta ??= pageMetaOf(this.#metadata.fields)
    return kept.meta
  }

  attr(selector: string, name: string): string | undefined {
    return this.$(selector).first().attr(name)
  }

  texts(selector: string): readonly string[] {
    const { $ } = this
    return $(selector)
      .get()
      .map((element) => this.innerText($(element)))
  }

  /** Scripts and styles are left out of a text, and are all that a script has. */
  protected innerText(found: ReturnType<Page['$']>): string {
    const isCode = found.is('script, style')
    return foldSpace(isCode ? found.text() : (found.prop('innerText') ?? ''))
  }

  get #read(): Kept {
    this.#kept ??= {}
    return this.#kept
  }

  /** Only HTML has any: what looks like a tag in JSON or a script is none. */
  get #metadata(): MetadataScan {
    const kept = this.#read
    kept.scan ??= scanMetadata(this.isHtml ? this.body : '')
    return kept.scan
  }
}
