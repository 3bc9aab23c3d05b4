// Reads a feed that is one page: RSS 0.9 to 2.0, Atom, or JSON Feed.
//
// Source: RSS 2.0 (rssboard.org), RFC 4287, jsonfeed.org version 1.1. A feed is known by its root, not by its content type, which is often wrong.
import type { Page } from '../page.ts'
import type { Feed, FeedEntry } from '../page-data.ts'
import { isElement, type DomElement } from '../markup/dom-element.ts'
import { foldSpace } from '../markup/folded-text.ts'
import { jsonFeedOf } from './json-feed.ts'
import { feedTime } from './feed-time.ts'

type Dom = Page['$']

/** Before the root come a declaration, comments and white space. */
const SNIFFED = 4_096
const ROOT = /<(?:rss|(?:\w+:)?RDF|(?:\w+:)?feed)[\s>]/i
const NO_MARKUP_BEFORE = /^[\s\u{FEFF}]*<(?:\?xml|!--|!DOCTYPE rss|rss|(?:\w+:)?RDF|(?:\w+:)?feed)/iu
const MAX_ENTRIES = 10_000

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
