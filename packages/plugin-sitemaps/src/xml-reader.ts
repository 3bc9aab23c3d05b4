// Reads sitemaps, sitemap indexes, RSS and Atom, by the events of a forgiving parser: well-formed or not, with any namespace or none.
//
// An element counts by its name behind the colon, if its prefix is that of the root element: `<image:loc>` is no `<loc>`, and `<sm:url>` of `<sm:urlset>` is a
// `<url>`. In feeds, elements of Dublin Core and Atom count too. What else is inside of an entry is passed over. Text of an element is joined over entities,
// CDATA and pieces of the file, up to a cap.
// Sources: https://www.sitemaps.org/protocol.html, https://www.rssboard.org/rss-specification, RFC 4287.
import { Parser } from 'htmlparser2'
import type { ListKind } from './entry.ts'
import type { ListReader, TakeUrl } from './list-reader.ts'

/** A URL has 2,048 characters at most (sitemaps.org); more is looked at, and cut here. */
const MOST_CHARACTERS = 8_192
/** Elements inside each other; in a list there are five. */
const MOST_DEPTH = 256
/** Of text before a root element that is known. */
const MOST_STRANGERS = 64

const ROOTS: Readonly<Record<string, ListKind>> = {
  urlset: 'sitemap',
  sitemapindex: 'index',
  rss: 'feed',
  rdf: 'feed',
  feed: 'feed',
}
const ENTRIES = new Set(['url', 'sitemap', 'item', 'entry'])
const DATES = new Set(['lastmod', 'pubdate', 'date', 'updated', 'modified', 'published'])
/** Prefixes whose elements count in feeds, beside none. */
const FEED_PREFIXES = new Set(['', 'dc', 'atom', 'rss', 'a10'])
const SITEMAP_NAMESPACES = /^https?:\/\/(?:www\.)?(?:sitemaps\.org\/schemas\/sitemap\/|google\.com\/schemas\/sitemap\/0\.84$)/i

/** How strictly it is read. */
export interface XmlRules {
  /** Sitemaps of an unknown namespace are none. */
  readonly strict: boolean
  /** `<xhtml:link rel="alternate">` counts as a URL of the sitemap. */
  readonly alternates: boolean
}

/** What is collected of one entry. */
interface Entry {
  text?: string
  /** By its identifier, where it has no link. */
  guid?: string
  date?: string
  priority?: string
}

/** A reader of XML. */
export class XmlReader implements ListReader {
  kind: ListKind = 'other'
  problem: string | undefined
  readonly #parser: Parser
  readonly #take: TakeUrl
  readonly #rules: XmlRules
  #prefix = ''
  #strangers = 0
  #depth = 0
  #entry: Entry | undefined
  #entryDepth = 0
  /** The element whose text is collected. */
  #field: { readonly name: string; readonly depth: number; text: string } | undefined
  #isOver = false
  /** What came after the last `>`. */
  #tail = ''
  #isCut = false

  constructor(take: TakeUrl, rules: XmlRules) {
    this.#take = take
    this.#rules = rules
    const events = {
      onopentag: (name: string, attributes: Record<string, string>) => this.#open(name, attributes),
      ontext: (text: string) => this.#text(text),
      onclosetag: (name: string) => this.#close(name),
    }
    this.#parser = new Parser(events, { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true })
  }

  write(text: string): void {
    if (this.#isOver) return
    this.#tail = (this.#tail + text.slice(-MOST_CHARACTERS)).slice(-MOST_CHARACTERS)
    this.#parser.write(text)
  }

  end(isWhole: boolean): void {
    if (this.#isOver) return
    // The end of a text is known where a tag has begun behind it.
    this.#isCut = !isWhole && this.#tail.lastIndexOf('<') <= this.#tail.lastIndexOf('>')
    this.#tail = ''
    this.#parser.end()
    this.#flush()
    if (this.kind === 'other') this.problem ??= 'is no sitemap and no feed'
  }

  #open(full: string, attributes: Record<string, string>): void {
    if (this.#isOver) return
    if (++this.#depth > MOST_DEPTH) return this.#stop('has elements too deep inside each other')
    const [prefix, name] = split(full)
    if (this.kind === 'other') return this.#root(prefix, name, attributes)
    if (ENTRIES.has(name) && this.#counts(prefix)) {
      this.#flush()
      this.#entry = {}
      this.#entryDepth = this.#depth
      return
    }
    const entry = this.#entry
    if (entry === undefined) return
    if (name === 'link' && attributes['href'] !== undefined) return this.#linked(entry, prefix, attributes)
    if (!this.#counts(prefix) || this.#field !== undefined || !isField(name)) return
    if (name === 'guid' && attributes['ispermalink'] === 'false') this.#field = { name: 'id', depth: this.#depth, text: '' }
    else this.#field = { name, depth: this.#depth, text: '' }
  }

  #root(prefix: string, name: string, { xmlns = '', ...rest }: Record<string, string>): void {
    if (name === 'html') return this.#stop('is an HTML page')
    const kind = ROOTS[name]
    if (kind === undefined) {
      if (++this.#strangers > MOST_STRANGERS) this.#stop('is no sitemap and no feed')
      return
    }
    const namespace = prefix === '' ? xmlns : (rest[`xmlns:${prefix}`] ?? '')
    if (this.#rules.strict && kind !== 'feed' && namespace !== '' && !SITEMAP_NAMESPACES.test(namespace))
      return this.#stop(`has the namespace ${JSON.stringify(namespace.slice(0, 200))}, which is not that of sitemaps`)
    this.kind = kind
    this.#prefix = kind === 'feed' && name === 'rdf' ? '' : prefix
  }

  #counts(prefix: string): boolean {
    return prefix === this.#prefix || (this.kind === 'feed' && FEED_PREFIXES.has(prefix))
  }

  /** Atom's links, and those of other languages in a sitemap. */
  #linked(entry: Entry, prefix: string, { href = '', rel = 'alternate' }: Record<string, string>): void {
    if (rel !== 'alternate') return
    if (this.kind === 'feed') {
      if (this.#counts(prefix)) entry.text ??= href
    } else if (this.#rules.alternates && !this.#take({ text: href })) this.#stop()
  }

  #text(text: string): void {
    const field = this.#field
    if (field !== undefined && field.text.length < MOST_CHARACTERS) field.text += text
  }

  #close(full: string): void {
    if (this.#isOver) return
    const field = this.#field
    if (field !== undefined && field.depth === this.#depth) {
      this.#field = undefined
      if (!this.#isCut) this.#set(field.name, field.text.trim())
    }
    if (this.#entry !== undefined && this.#depth === this.#entryDepth) this.#flush()
    this.#depth--
    const [prefix, name] = split(full)
    if (ROOTS[name] === this.kind && this.#counts(prefix) && this.#depth === 0) this.#flush()
  }

  #set(name: string, text: string): void {
    const entry = this.#entry
    if (entry === undefined || text === '') return
    if (name === 'loc' && entry.text !== undefined) {
      // Some write several into one entry.
      this.#flush()
      this.#entry = { text }
    } else if (name === 'loc' || name === 'link') entry.text ??= text
    else if (name === 'guid' || name === 'id') entry.guid ??= text
    else if (name === 'priority') entry.priority ??= text
    else if (name === 'updated' || name === 'modified' || name === 'lastmod') entry.date = text
    else entry.date ??= text
  }

  /** Hands over the entry. */
  #flush(): void {
    const entry = this.#entry
    this.#entry = undefined
    if (entry === undefined || this.#isOver) return
    const { text = webAddress(entry.guid), date, priority } = entry
    if (text === undefined) return
    const found = { text, ...(date !== undefined && { date }), ...(priority !== undefined && { priority }) }
    if (!this.#take(found)) this.#stop()
  }

  #stop(problem?: string): void {
    this.problem ??= problem
    this.#isOver = true
    this.#field = this.#entry = undefined
  }
}

function isField(name: string): boolean {
  return name === 'loc' || name === 'link' || name === 'guid' || name === 'id' || name === 'priority' || DATES.has(name)
}

/** An identifier that is a URL is that of its entry, whatever it says of itself. */
function webAddress(guid: string | undefined): string | undefined {
  return guid !== undefined && /^https?:\/\//i.test(guid) ? guid : undefined
}

function split(full: string): readonly [prefix: string, name: string] {
  const colon = full.indexOf(':')
  return colon === -1 ? ['', full] : [full.slice(0, colon), full.slice(colon + 1)]
}
