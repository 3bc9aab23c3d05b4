// Reads a feed that is one page: RSS 0.9 to 2.0, Atom, or JSON Feed.
//
// Source: RSS 2.0 (rssboard.org), RFC 4287, jsonfeed.org versions 1 and 1.1. A feed is known by its root, not by its content type, which is often wrong.
import type { Page } from '@avocet/core'
import type { Feed, FeedEntry } from './page-data.ts'
import { lenientJson } from './lenient-json.ts'
import { isElement, type DomElement } from '../markup/element-text.ts'
import { foldSpace } from '../markup/folded-text.ts'

type Dom = Page['$']

/** Before the root come a declaration, comments and white space. */
const SNIFFED = 4_096
const ROOT = /<(?:rss|(?:\w+:)?RDF|(?:\w+:)?feed)[\s>]/i
const NO_MARKUP_BEFORE = /^[\s\u{FEFF}]*<(?:\?xml|!--|!DOCTYPE rss|rss|(?:\w+:)?RDF|(?:\w+:)?feed)/iu
const MAX_ENTRIES = 10_000
/** Of RFC 822 §5.1; the platform knows these, and no other names. */
const ZONED = /(?:Z|[+-]\d{2}:?\d{2}|\b(?:GMT|UTC|UT|[ECMP][SD]T))$/i
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?/
const RFC_822 = /^(?:[A-Za-z]{3,9},? )?\d{1,2} [A-Za-z]{3,9} \d{2,4} \d{1,2}:\d{2}(?::\d{2})?/
const MAX_CHARACTERS = 64

/** How the page of a feed is read. */
export interface FeedSource {
  readonly body: string
  /** The DOM of the body as XML. */
  readonly dom: () => Dom
  readonly absolute: (href: string) => string | undefined
}

/** The feed that a body is; undefined for what is none. */
export function feedOf(source: FeedSource): Feed | undefined {
  const head = source.body.slice(0, SNIFFED)
  if (/^[\s\u{FEFF}]*\{/u.test(head)) return jsonFeedOf(source.body, source.absolute)
  if (!NO_MARKUP_BEFORE.test(head) || !ROOT.test(head)) return undefined
  const root = (source.dom().root().get(0)?.children ?? [])
    .filter(isElement)
    .find((element) => /^(?:rss|rdf|feed)$/i.test(local(element)))
  if (root === undefined) return undefined
  return local(root).toLowerCase() === 'feed' ? new XmlFeed(source).atom(root) : new XmlFeed(source).rss(root)
}

class XmlFeed {
  readonly #absolute: FeedSource['absolute']
  readonly #dom: Dom

  constructor({ dom, absolute }: FeedSource) {
    this.#dom = dom()
    this.#absolute = absolute
  }

  rss(root: DomElement): Feed {
    const channel = children(root, 'channel')[0] ?? root
    // RSS 1.0 has its items beside the channel.
    const items = [...children(channel, 'item'), ...(channel === root ? [] : children(root, 'item'))]
    const url = this.#absoluteOf(this.#text(channel, 'link'))
    return {
      kind: 'rss',
      title: this.#text(channel, 'title') ?? '',
      ...(url !== undefined && { url }),
      entries: items.slice(0, MAX_ENTRIES).map((item) => this.#rssEntry(item)),
    }
  }

  atom(root: DomElement): Feed {
    const url = this.#atomLink(root)
    return {
      kind: 'atom',
      title: this.#text(root, 'title') ?? '',
      ...(url !== undefined && { url }),
      entries: children(root, 'entry')
        .slice(0, MAX_ENTRIES)
        .map((entry) => this.#atomEntry(entry)),
    }
  }

  #rssEntry(item: DomElement): FeedEntry {
    const guid = children(item, 'guid')[0]
    const id = guid && this.#textOf(guid)
    // A guid is a permalink unless it says that it is none (RSS 2.0, <guid>); without a scheme it is none either.
    const permalink = guid?.attribs['isPermaLink'] !== 'false' && /^https?:/i.test(id ?? '') ? id : undefined
    return entryOf({
      url: this.#absoluteOf(this.#text(item, 'link') ?? item.attribs['rdf:about'] ?? permalink),
      id: id || item.attribs['rdf:about'],
      title: this.#text(item, 'title'),
      summary: this.#raw(item, 'description'),
      author: this.#text(item, 'author') ?? this.#text(item, 'creator'),
      published: feedTime(this.#text(item, 'pubdate') ?? this.#text(item, 'date')),
      updated: undefined,
    })
  }

  #atomEntry(entry: DomElement): FeedEntry {
    const author = children(entry, 'author')[0]
    const updated = feedTime(this.#text(entry, 'updated') ?? this.#text(entry, 'modified'))
    return entryOf({
      url: this.#atomLink(entry),
      id: this.#text(entry, 'id'),
      title: this.#text(entry, 'title'),
      summary: this.#raw(entry, 'summary') ?? this.#raw(entry, 'content'),
      author: author && this.#text(author, 'name'),
      published: feedTime(this.#text(entry, 'published') ?? this.#text(entry, 'issued')),
      updated,
    })
  }

  /** The first link to read, which is `alternate` unless it says otherwise (RFC 4287 §4.2.7.2). */
  #atomLink(element: DomElement): string | undefined {
    const link = children(element, 'link').find(
      ({ attribs }) => (attribs['rel'] ?? 'alternate').trim().toLowerCase() === 'alternate',
    )
    return this.#absoluteOf(link?.attribs['href'])
  }

  #text(element: DomElement, name: string): string | undefined {
    for (const child of children(element, name)) {
      const text = this.#textOf(child)
      if (text !== '') return text
    }
    return undefined
  }

  #textOf(element: DomElement): string {
    return foldSpace(this.#dom(element).text())
  }

  /** With its line breaks, because it may be HTML. XHTML is given as markup. */
  #raw(element: DomElement, name: string): string | undefined {
    const child = children(element, name)[0]
    if (child === undefined) return undefined
    const found = this.#dom(child)
    return (child.attribs['type'] === 'xhtml' ? (found.html() ?? '') : found.text()).trim() || undefined
  }

  #absoluteOf(href: string | undefined): string | undefined {
    return href === undefined || href === '' ? undefined : this.#absolute(href)
  }
}

/** What an entry may lack. */
type Found = { readonly [Key in keyof FeedEntry]-?: FeedEntry[Key] | undefined }

/** An entry of what was found: what is not there is left out. */
function entryOf({ title, id, url, ...others }: Found): FeedEntry {
  const identity = id ?? url
  const there = Object.entries(others).filter(([, value]) => value !== undefined && value !== '')
  return {
    ...(url !== undefined && { url }),
    ...(identity !== undefined && { id: identity }),
    title: title ?? '',
    ...(Object.fromEntries(there) as Partial<Pick<FeedEntry, keyof typeof others>>),
  }
}

function children(element: DomElement, name: string): readonly DomElement[] {
  return element.children.filter(isElement).filter((child) => local(child).toLowerCase() === name)
}

/** The name without its prefix. */
function local({ name }: DomElement): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The JSON Feed of `body`; undefined for other JSON. */
function jsonFeedOf(body: string, absolute: (href: string) => string | undefined): Feed | undefined {
  // The version comes first, by convention, and is anywhere in the feed.
  if (!body.includes('jsonfeed.org/version/')) return undefined
  const feed = fieldsOf(lenientJson(body))
  if (!textOf(feed['version']).includes('jsonfeed.org/version/')) return undefined
  const { items } = feed
  const url = absoluteOf(feed['home_page_url'], absolute)
  return {
    kind: 'json',
    title: textOf(feed['title']),
    ...(url !== undefined && { url }),
    entries: (Array.isArray(items) ? items : []).slice(0, MAX_ENTRIES).map((item) => entry(fieldsOf(item), absolute)),
  }
}

type Fields = Readonly<Record<string, unknown>>

function entry(item: Fields, absolute: (href: string) => string | undefined): FeedEntry {
  const url = absoluteOf(item['url'], absolute) ?? absoluteOf(item['external_url'], absolute)
  const id = textOf(item['id']) || url
  const summary = textOf(item['summary']) || textOf(item['content_text']) || textOf(item['content_html'])
  const { authors } = item
  const author = textOf(fieldsOf(Array.isArray(authors) ? authors[0] : item['author'])['name'])
  const [published, updated] = [item['date_published'], item['date_modified']].map((date) => feedTime(textOf(date)))
  return {
    ...(url !== undefined && { url }),
    ...(id !== undefined && { id }),
    title: textOf(item['title']),
    ...(summary !== '' && { summary }),
    ...(author !== '' && { author }),
    ...(published !== undefined && { published }),
    ...(updated !== undefined && { updated }),
  }
}

function absoluteOf(href: unknown, absolute: (href: string) => string | undefined): string | undefined {
  const text = textOf(href)
  return text === '' ? undefined : absolute(text)
}

function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' ? (value as Fields) : {}
}

/** Identifiers are numbers in some feeds. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/**
 * The moment that a date names, RFC 3339 as Atom has it or RFC 822 as RSS has it, with what people make of both: epoch ms; undefined for what is no date.
 * A date without a zone is UTC.
 */
function feedTime(text: string | undefined): number | undefined {
  const date = text?.trim() ?? ''
  if (date === '' || date.length > MAX_CHARACTERS) return undefined
  const form = ISO.exec(date)?.[0] ?? RFC_822.exec(date)?.[0]
  if (form === undefined) return undefined
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(date)
  const zone = date.slice(form.length).trim()
  if (!isDay && zone !== '' && !ZONED.test(zone)) return undefined
  const iso = ISO.test(date) ? form.replace(' ', 'T').replace(',', '.') : form
  const at = Date.parse(
    isDay ? date : `${iso}${iso === form && !ISO.test(date) ? ' ' : ''}${zone === '' ? 'Z' : zone.replace(/^UT$/i, 'UTC')}`,
  )
  return Number.isNaN(at) ? undefined : at
}
