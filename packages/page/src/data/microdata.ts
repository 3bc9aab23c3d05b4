// Reads microdata: the items of a document, with the properties that belong to them, wherever `itemref` has put them.
//
// Source: HTML standard §5.2.4 (values), §5.2.5 (associating names with items), §5.4 (JSON). Two things differ: white space of texts is folded, because a text
// that a layout has broken into lines is one text, and an item within itself is left out, where the standard writes "ERROR".
import type { Page } from '@avocet/core'
import type { MicrodataItem, MicrodataValue } from './page-data.ts'
import { MAX_VALUE_CHARACTERS } from '../markup/tag-reader.ts'
import { childElements, elementText, isInTemplate, type DomElement } from '../markup/element-text.ts'

type Dom = Page['$']

/** Items in each other; what is deeper is left out. */
const MAX_DEPTH = 32
/** Over a document: `itemref` can make a page of some KiB refer to the same elements without end. */
const MAX_PROPERTIES = 20_000
/** Of text and markup in properties, which can be in each other. */
const MAX_TEXT = 8 * 2 ** 20
/** Attributes that hold a URL. */
const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  ...{ audio: 'src', embed: 'src', iframe: 'src', img: 'src', source: 'src', track: 'src', video: 'src' },
  ...{ a: 'href', area: 'href', link: 'href', object: 'data' },
}
/** Attributes that hold a text. */
const TEXT_ATTRIBUTES: Readonly<Record<string, string>> = { meta: 'content', data: 'value', meter: 'value', time: 'datetime' }

/** The items of `$` that are no property of another. */
export function microdataOf($: Dom, baseUrl: string): readonly MicrodataItem[] {
  const reader = new Reader($, baseUrl)
  return $('[itemscope]:not([itemprop])')
    .get()
    .filter((root) => !isInTemplate(root))
    .map((root) => reader.item(root, []))
}

class Reader {
  readonly #dom: Dom
  readonly #baseUrl: string
  #byId: ReadonlyMap<string, DomElement> | undefined
  #places: ReadonlyMap<unknown, number> | undefined
  #left = MAX_PROPERTIES
  readonly #text = { left: MAX_TEXT }

  constructor(dom: Dom, baseUrl: string) {
    this.#dom = dom
    this.#baseUrl = baseUrl
  }

  /** The item of `root`; `around` are the elements of the items that it is within. */
  item(root: DomElement, around: readonly DomElement[]): MicrodataItem {
    const within = [...around, root]
    const properties = new Map<string, MicrodataValue[]>()
    for (const element of this.#properties(root)) {
      const value = this.#value(element, within)
      if (value === undefined) continue
      for (const name of tokens(element.attribs['itemprop'])) {
        if (--this.#left <= 0) break
        const values = properties.get(name)
        if (values === undefined) properties.set(name, [value])
        else values.push(value)
      }
    }
    const id = root.attribs['itemid']
    return {
      type: tokens(root.attribs['itemtype']),
      ...(id !== undefined && { id: absoluteUrl(id, this.#baseUrl) ?? id.trim() }),
      properties: Object.fromEntries(properties),
    }
  }

  /** Elements with the properties of `root`, in the order of the document. */
  #properties(root: DomElement): readonly DomElement[] {
    const found: DomElement[] = []
    const seen = new Set([root])
    const pending = [...childElements(root)].toReversed()
    const referred = tokens(root.attribs['itemref']).flatMap((id) => this.#elementOf(id) ?? [])
    pending.unshift(...referred.toReversed())
    for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
      if (seen.has(element)) continue
      if (--this.#left <= 0) break
      seen.add(element)
      if (element.attribs['itemscope'] === undefined) pending.push(...childElements(element).toReversed())
      if (tokens(element.attribs['itemprop']).length > 0) found.push(element)
    }
    return referred.length === 0 ? found : found.toSorted((a, b) => this.#placeOf(a) - this.#placeOf(b))
  }

  #value(element: DomElement, within: readonly DomElement[]): MicrodataValue | undefined {
    const { name, attribs } = element
    if (attribs['itemscope'] !== undefined) {
      return within.includes(element) || within.length >= MAX_DEPTH ? undefined : this.item(element, within)
    }
    const urlAttribute = URL_ATTRIBUTES[name]
    if (urlAttribute !== undefined) return absoluteUrl(attribs[urlAttribute] ?? '', this.#baseUrl) ?? ''
    const textAttribute = TEXT_ATTRIBUTES[name]
    const attribute = textAttribute === undefined ? undefined : attribs[textAttribute]
    if (attribute !== undefined) return attribute.trim()
    // Not of the standard, but often seen: `<span itemprop="price" content="12.99">`.
    const content = attribs['content']?.trim() ?? (name === 'meta' ? '' : undefined)
    // Of `<b itemprop=price><del>299</del> <ins>199</ins></b>` the standard has 299199 or the like.
    const isPrice = tokens(attribs['itemprop']).some((property) => /price$/i.test(property))
    return content ?? elementText(element, this.#text, isPrice ? isOldPrice : undefined)
  }

  #elementOf(id: string): DomElement | undefined {
    this.#byId ??= new Map(
      this.#dom('[id]')
        .get()
        .toReversed()
        .map((element) => [element.attribs['id'] ?? '', element]),
    )
    return this.#byId.get(id)
  }

  #placeOf(element: DomElement): number {
    this.#places ??= new Map(
      this.#dom('*')
        .get()
        .map((each, place) => [each, place]),
    )
    return this.#places.get(element) ?? 0
  }
}

function tokens(list: string | undefined): readonly string[] {
  return list === undefined ? [] : [...new Set(list.split(/[\t\n\f\r ]+/).filter((token) => token !== ''))]
}

/**
 * Which elements hold an old price: inside the element of a price they are no part of it, or two numbers would be read as one. What is struck through; and
 * what WordPress says for screen readers alone, which is the old price and the new one once more.
 */
export function isOldPrice({ name, attribs }: DomElement): boolean {
  return /^(?:del|s|strike)$/.test(name) || /(?:^|\s)screen-reader-text(?:\s|$)/.test(attribs['class'] ?? '')
}

/** `href` resolved against `base`, of any scheme: what is to be requested goes through `parseUrl`. Undefined for what is empty, too long or no URL. */
function absoluteUrl(href: string, base: string): string | undefined {
  const trimmed = href.trim()
  return trimmed === '' || trimmed.length > MAX_VALUE_CHARACTERS ? undefined : (URL.parse(trimmed, base)?.href ?? undefined)
}
