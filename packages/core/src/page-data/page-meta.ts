// The `<meta>` fields of a page by name, and what Open Graph makes of them.
import type { OpenGraph, OpenGraphMedia, PageMeta } from '../page-data.ts'
import type { MetaField } from './metadata-scan.ts'

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

type Media = 'image' | 'video' | 'audio'
/** Under their own names in the result. */
const BASIC = { title: 'og:title', type: 'og:type', description: 'og:description', siteName: 'og:site_name', locale: 'og:locale' }
const READ: ReadonlySet<string> = new Set([...Object.values(BASIC), 'og:url'])
const MEDIA = /^og:(image|video|audio)(?::(\w+))?$/
const PREFIXED = /^(?:og|product|article|book|profile|music|video|fb|twitter):/

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
