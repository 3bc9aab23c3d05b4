// HTML as the model sites write it: a whole document, a link, an escaped text, and words to fill pages with.
import { pick, type Chance } from '../seeded.ts'
import type { Draft } from './site.ts'

/** `text` as it stands in HTML, between tags or in a quoted attribute. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** An HTML page that answers 200. `body` is HTML. */
export function htmlPage(title: string, body: string): Draft {
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escaped(title)}</title></head>\n<body>\n${body}\n</body>\n</html>\n`,
  }
}

/** An anchor. `attributes` such as `class="next"`. */
export function anchor(href: string, text: string, attributes = ''): string {
  return `<a${attributes === '' ? '' : ` ${attributes}`} href="${escaped(href)}">${escaped(text)}</a>`
}

const WORDS =
  'avocet shallow water sweep gentle bill heron stilt mud tide reed plover curlew sand salt marsh feather nest lagoon estuary wing shore pool wind dusk flock quiet dawn island grass shell river'.split(
    ' ',
  )

/** `count` words from the `from`-th on. */
export function words(chance: Chance, from: number, count: number): string {
  let text = ''
  for (let n = 0; n < count; n++) text += `${n === 0 ? '' : ' '}${pick(WORDS, chance, from + n)}`
  return text
}

/** The same with a capital letter at the beginning of each word. */
export function title(chance: Chance, from: number, count: number): string {
  return words(chance, from, count).replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

/** Paragraphs of about `bytes` bytes in all, as HTML. */
export function paragraphs(chance: Chance, bytes: number): string {
  let html = ''
  for (let n = 0; html.length < bytes; n += 60) html += `<p>${title(chance, n, 1)} ${words(chance, n + 1, 59)}.</p>\n`
  return html
}
