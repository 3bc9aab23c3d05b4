// Finds `<meta>` fields and blocks of JSON-LD without building a tree, for pages of which somebody asks for them: one pass, forward only. Then the fields by
// name, and what Open Graph makes of them.
//
// A scan of its own, so that pages of which only links are read pay nothing for it. It hops from `<` to `<` as the scanner does, with the same reader of tags,
// so that comments, scripts and quoted values cannot be taken for tags. Source: HTML standard §13.2.5.
import type { OpenGraph, OpenGraphMedia, PageMeta } from './page-data.ts'
import { decodeAttributeReferences } from '../markup/character-references.ts'
import { endOfDeclaration, endOfRawText, rawTextName, TOO_FAR } from '../markup/skipped-markup.ts'
import { endsName, isLetter, isNamed, TagReader } from '../markup/tag-reader.ts'

/** What was found, in document order. */
export interface MetadataScan {
  readonly fields: readonly MetaField[]
  /** Content of each `<script type="application/ld+json">`. */
  readonly blocks: readonly string[]
}

/** A `<meta>` with a name and a content. */
export interface MetaField {
  /** Of `name` and of `property`, in lower case. */
  readonly names: readonly string[]
  readonly content: string
}

const MAX_FIELDS = 1_000
const MAX_BLOCKS = 1_000
/** Longer tags have data in them that is no metadata. */
const MAX_TAG = 64 * 2 ** 10
const LD_JSON = 'application/ld+json'
/** One attribute, after white space and slashes. Source: HTML standard §13.2.5.32 to §13.2.5.40. */
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?/y

type Media = 'image' | 'video' | 'audio'
/** Under their own names in the result. */
const BASIC = { title: 'og:title', type: 'og:type', description: 'og:description', siteName: 'og:site_name', locale: 'og:locale' }
const READ: ReadonlySet<string> = new Set([...Object.values(BASIC), 'og:url'])
const MEDIA = /^og:(image|video|audio)(?::(\w+))?$/
const PREFIXED = /^(?:og|product|article|book|profile|music|video|fb|twitter):/

const EXCLAMATION = 33
const SLASH = 47
const QUESTION = 63

/** Scans `html`. */
export function scanMetadata(html: string): MetadataScan {
  const scan = new Scan(html)
  for (let at = html.indexOf('<'); at !== -1;) at = html.indexOf('<', scan.after(at))
  return scan
}

class Scan implements MetadataScan {
  readonly fields: MetaField[] = []
  readonly blocks: string[] = []
  readonly #html: string
  readonly #tag: TagReader

  constructor(html: string) {
    this.#html = html
    this.#tag = new TagReader(html)
  }

  /** Reads what begins at `open`; returns where it ends. */
  after(open: number): number {
    const html = this.#html
    const code = html.charCodeAt(open + 1)
    if (isLetter(code)) return this.#startTag(open + 1, code | 32)
    if (code === SLASH && isLetter(html.charCodeAt(open + 2))) return this.#tag.skip(open + 2)
    if (code === EXCLAMATION || code === QUESTION || code === SLASH) return this.#end(endOfDeclaration(html, open, false))
    return open + 1
  }

  #startTag(name: number, first: number): number {
    const html = this.#html
    const end = this.#tag.skip(name)
    const raw = rawTextName(html, name, first)
    if (raw !== undefined) return this.#rawText(raw, name + raw.length, end)
    if (first === 109 && isNamed(html, name, 'meta') && endsName(html.charCodeAt(name + 4))) this.#meta(name + 4, end)
    return end
  }

  #rawText(raw: string, nameEnd: number, tagEnd: number): number {
    const html = this.#html
    if (raw === 'plaintext' || !this.#tag.isWhole) return html.length
    const end = this.#end(endOfRawText(html, tagEnd, raw))
    if (raw !== 'script' || this.blocks.length >= MAX_BLOCKS) return end
    const type = attributesOf(html, nameEnd, tagEnd).get('type')?.trim().toLowerCase()
    if (type === LD_JSON || type?.startsWith(`${LD_JSON};`) === true) this.blocks.push(html.slice(tagEnd, end))
    return end
  }

  #meta(nameEnd: number, end: number): void {
    if (!this.#tag.isWhole || this.fields.length >= MAX_FIELDS) return
    const attributes = attributesOf(this.#html, nameEnd, end)
    const content = attributes.get('content')?.trim()
    const names = [attributes.get('name'), attributes.get('property')].flatMap((name) => name?.trim().toLowerCase() || [])
    if (content !== undefined && names.length > 0) this.fields.push({ names: [...new Set(names)], content })
  }

  #end(end: number): number {
    return end === TOO_FAR ? this.#html.length : end
  }
}

/** Attributes of the tag whose name ends at `from`, by name in lower case; of those with the same name the first counts. */
function attributesOf(html: string, from: number, end: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const tag = html.slice(from, Math.min(end - 1, from + MAX_TAG))
  ATTRIBUTE.lastIndex = 0
  for (let match = ATTRIBUTE.exec(tag); match !== null; match = ATTRIBUTE.exec(tag)) {
    const [, written = '', double, single, bare] = match
    const name = written.toLowerCase()
    const value = double ?? single ?? bare ?? ''
    if (!found.has(name)) found.set(name, decodeAttributeReferences(value))
  }
  return found
}

/** The fields, by name. */
export function pageMetaOf(fields: readonly MetaField[]): PageMeta {
  const byName = new Map<string, string[]>()
  for (const { names, content } of fields) {
    for (const name of names) {
      const contents = byName.get(name)
      if (contents === undefined) byName.set(name, [content])
      else contents.push(content)
    }
  }
  return {
    names: [...byName.keys()],
    first: (name) => byName.get(name.toLowerCase())?.[0],
    all: (name) => byName.get(name.toLowerCase()) ?? [],
  }
}

/** The Open Graph of `fields`; `absolute` resolves URLs. Source: https://ogp.me, "Structured Properties" and "Arrays". */
export function openGraphOf(fields: readonly MetaField[], absolute: (href: string) => string | undefined): OpenGraph {
  const meta = pageMetaOf(fields)
  const basic = Object.entries(BASIC).flatMap(([key, name]) => {
    const content = meta.first(name)
    return content === undefined ? [] : [[key, content] as const]
  })
  const url = absolute(meta.first('og:url') ?? '#')
  const others = meta.names.filter((name) => PREFIXED.test(name) && !READ.has(name) && !MEDIA.test(name))
  return {
    ...(Object.fromEntries(basic) as Partial<Record<keyof typeof BASIC, string>>),
    ...(url !== undefined && meta.first('og:url') !== undefined && { url }),
    images: mediaOf('image', fields, absolute),
    videos: mediaOf('video', fields, absolute),
    audios: mediaOf('audio', fields, absolute),
    other: Object.fromEntries(others.map((name) => [name, meta.first(name) ?? ''])),
  }
}

/** `og:image` begins one, and what follows with a further part is about that one, until the next. */
function mediaOf(
  kind: Media,
  fields: readonly MetaField[],
  absolute: (href: string) => string | undefined,
): readonly OpenGraphMedia[] {
  const found: Record<string, string>[] = []
  for (const { names, content } of fields) {
    for (const name of names) {
      const [, media, part = 'url'] = MEDIA.exec(name) ?? []
      if (media !== kind) continue
      const last = found.at(-1)
      const begins = name === `og:${kind}` || last === undefined
      // `og:image:url` is another name of `og:image`, and often says the same once more.
      if (begins) found.push({ [part]: content })
      else if (last[part] === undefined) last[part] = content
    }
  }
  return found.flatMap((parts) => {
    const url = absolute(parts['url'] ?? parts['secure_url'] ?? '')
    if (url === undefined || (parts['url'] ?? parts['secure_url'] ?? '') === '') return []
    const [width, height] = [parts['width'], parts['height']].map(pixels)
    const { alt, type } = parts
    return [
      {
        url,
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        ...(alt !== undefined && { alt }),
        ...(type !== undefined && { type }),
      },
    ]
  })
}

function pixels(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined
}
