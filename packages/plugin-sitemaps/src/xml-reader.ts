// Reads sitemaps, sitemap indexes, RSS and Atom: from tags and texts to entries, well-formed or not, with any namespace or none.
//
// An element counts by its name behind the colon, if its prefix is that of the root element: `<image:loc>` is no `<loc>`, and `<sm:url>` of `<sm:urlset>` is a
// `<url>`. In feeds, elements of Dublin Core and Atom count too. What else is inside of an entry is passed over. The next field or entry ends the one before,
// closed or not. Text of an element is joined over entities, CDATA and pieces of the file, up to a cap.
// Relative URLs of a feed are resolved against `xml:base` of its root, channel, entry or link.
// Sources: https://www.sitemaps.org/protocol.html, https://www.rssboard.org/rss-specification, RFC 4287.
import { parseUrl } from '@avocet/core/plugin'
import type { ListKind, ListReader, TakeUrl } from './list-reader.ts'
import { attributesOf, unescaped, XmlScanner } from './xml-scanner.ts'

/** A URL has 2,048 characters at most (sitemaps.org); more is looked at, and cut here. */
const MOST_CHARACTERS = 8_192
/** Elements before a root element that is known. */
const MOST_STRANGERS = 64

const ROOTS: ReadonlyMap<string, ListKind> = new Map([
  ['urlset', 'sitemap'],
  ['sitemapindex', 'index'],
  ['rss', 'feed'],
  ['rdf', 'feed'],
  ['feed', 'feed'],
])
const ENTRIES = new Set(['url', 'sitemap', 'item', 'entry'])
const FIELDS = new Set('loc link guid id priority lastmod pubdate date updated modified published'.split(' '))
/** Prefixes whose elements count in feeds, beside none. */
const FEED_PREFIXES = new Set(['', 'dc', 'atom', 'rss', 'a10'])
const SITEMAP_NAMESPACES = /^https?:\/\/(?:www\.)?(?:sitemaps\.org\/schemas\/sitemap\/|google\.com\/schemas\/sitemap\/0\.84$)/i

/** How strictly it is read. */
export interface XmlRules {
  /** Of the document. */
  readonly url: string
  /** Sitemaps of an unknown namespace are none. */
  readonly strict: boolean
  /** `<xhtml:link rel="alternate">` counts as a URL of the sitemap. */
  readonly alternates: boolean
}

/** What is collected of one entry. */
interface Entry {
  text?: string
  /** What `text` is relative to. */
  base: string
  /** By its identifier, where it has no link. */
  guid?: string
  date?: string
  priority?: string
}

/** A reader of XML. */
export class XmlReader implements ListReader {
  kind: ListKind = 'other'
  problem: string | undefined
  readonly #scanner: XmlScanner
  readonly #take: TakeUrl
  readonly #rules: XmlRules
  #prefix = ''
  #base: string
  #strangers = 0
  #entry: Entry | undefined
  /** The element whose text is collected: `full` with its prefix. */
  #field: { readonly full: string; readonly name: string; text: string } | undefined
  /** Inside of what an entry says of another feed. */
  #isElsewhere = false
  #isOver = false

  constructor(take: TakeUrl, rules: XmlRules) {
    this.#take = take
    this.#rules = rules
    this.#base = rules.url
    const wantsText = (): boolean => this.#field !== undefined
    this.#scanner = new XmlScanner({
      get wantsText() {
        return wantsText()
      },
      open: (name, attributes) => this.#open(name, attributes),
      close: (name) => this.#close(name),
      text: (text) => this.#text(text),
    })
  }

  write(text: string): void {
    if (!this.#isOver) this.#scanner.write(text)
  }

  end(): void {
    if (this.#isOver) return
    // Of a file that was cut off inside of a text nobody knows how the text goes on.
    if (this.#scanner.isInTag) this.#endField()
    this.#field = undefined
    this.#flush()
    if (this.kind === 'other') this.problem ??= 'is no sitemap and no feed'
    else if (this.#scanner.isSkipping)
      this.problem ??= 'has a comment or a section without an end: what is behind its beginning is left out'
  }

  #open(full: string, attributes: string): void {
    if (this.#isOver) return
    const colon = full.indexOf(':')
    const prefix = colon === -1 ? '' : full.slice(0, colon)
    const name = colon === -1 ? full : full.slice(colon + 1)
    if (this.kind === 'other') return this.#root(prefix, name, attributes)
    const counts = this.#counts(prefix)
    if (counts && ENTRIES.has(name)) {
      this.#flush()
      this.#entry = { base: baseIn(attributes, this.#base) }
      return
    }
    const entry = this.#entry
    if (name === 'channel') this.#base = baseIn(attributes, this.#base)
    if (entry === undefined) return
    if (name === 'source' && this.kind === 'feed') this.#isElsewhere = true
    if (this.#isElsewhere) return
    if (name === 'link' && attributes.includes('href')) return this.#linked(entry, counts, attributes)
    if (!counts || !FIELDS.has(name)) return
    this.#endField()
    this.#field = { full, name, text: '' }
  }

  #root(prefix: string, name: string, written: string): void {
    if (name === 'html') return this.#stop('is an HTML page')
    const kind = ROOTS.get(name)
    if (kind === undefined) {
      if (++this.#strangers > MOST_STRANGERS) this.#stop('is no sitemap and no feed')
      return
    }
    const namespace = attributesOf(written)[prefix === '' ? 'xmlns' : `xmlns:${prefix}`] ?? ''
    if (this.#rules.strict && kind !== 'feed' && namespace !== '' && !SITEMAP_NAMESPACES.test(namespace))
      return this.#stop(`has the namespace ${JSON.stringify(namespace.slice(0, 200))}, which is not that of sitemaps`)
    this.kind = kind
    this.#base = baseIn(written, this.#base)
    this.#prefix = name === 'rdf' ? '' : prefix
  }

  #counts(prefix: string): boolean {
    return prefix === this.#prefix || (this.kind === 'feed' && FEED_PREFIXES.has(prefix))
  }

  /** Atom's links, and those of other languages in a sitemap. */
  #linked(entry: Entry, counts: boolean, attributes: string): void {
    const { href = '', rel = 'alternate' } = attributesOf(attributes)
    if (rel !== 'alternate') return
    if (this.kind === 'feed') {
      if (!counts || entry.text !== undefined) return
      entry.text = href
      entry.base = baseIn(attributes, entry.base)
    } else if (this.#rules.alternates && !this.#take({ text: href })) this.#stop()
  }

  #text(text: string): void {
    const field = this.#field
    if (field !== undefined && field.text.length < MOST_CHARACTERS) field.text += text.slice(0, MOST_CHARACTERS)
  }

  #close(full: string): void {
    if (this.#isOver) return
    if (this.#field?.full === full) return this.#endField()
    const name = full.slice(full.indexOf(':') + 1)
    if (name === 'source') this.#isElsewhere = false
    if (ENTRIES.has(name) && this.#counts(full.slice(0, Math.max(0, full.length - name.length - 1)))) this.#flush()
  }

  #endField(): void {
    const field = this.#field
    this.#field = undefined
    if (field === undefined) return
    const text = unescaped(field.text).trim()
    if (text !== '') this.#set(field.name, text)
  }

  #set(name: string, text: string): void {
    const entry = this.#entry
    if (entry === undefined) return
    if (name === 'loc' && entry.text !== undefined) {
      // Some write several into one entry.
      this.#flush()
      this.#entry = { text, base: entry.base }
    } else if (name === 'loc' || name === 'link') entry.text ??= text
    else if (name === 'guid' || name === 'id') entry.guid ??= text
    else if (name === 'priority') entry.priority ??= text
    else if (name === 'updated' || name === 'modified' || name === 'lastmod') entry.date = text
    else entry.date ??= text
  }

  /** Hands over the entry. */
  #flush(): void {
    this.#endField()
    const entry = this.#entry
    this.#entry = undefined
    this.#isElsewhere = false
    if (entry === undefined || this.#isOver) return
    const { text = webAddress(entry.guid), base, date, priority } = entry
    if (text === undefined) return
    const found = { text, base, ...(date !== undefined && { date }), ...(priority !== undefined && { priority }) }
    if (!this.#take(found)) this.#stop()
  }

  #stop(problem?: string): void {
    this.problem ??= problem
    this.#isOver = true
    this.#field = this.#entry = undefined
  }
}

/** RFC 4287 §2. */
function baseIn(attributes: string, outer: string): string {
  const written = attributes.includes('xml:base') ? attributesOf(attributes)['xml:base'] : undefined
  return (written !== undefined && parseUrl(written, outer)) || outer
}

/** An identifier that is a URL is that of its entry, whatever it says of itself. */
function webAddress(guid: string | undefined): string | undefined {
  return guid !== undefined && /^https?:\/\//i.test(guid) ? guid : undefined
}
