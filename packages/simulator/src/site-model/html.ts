// HTML as the model sites write it: a whole document, a link, an escaped text.
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
