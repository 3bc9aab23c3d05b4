// Reads JSON Feed. Source: jsonfeed.org, versions 1 and 1.1.
import type { Feed, FeedEntry } from '../page-data.ts'
import { feedTime } from './feed-time.ts'
import { lenientJson } from './lenient-json.ts'

const MAX_ENTRIES = 10_000

/** The feed of `body`; undefined for other JSON. */
export function jsonFeedOf(body: string, absolute: (href: string) => string | undefined): Feed | undefined {
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
