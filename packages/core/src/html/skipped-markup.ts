// Where the stretches of a document end that hold no tags: comments, declarations, scripts, styles and other raw text. All linear.
import { isNamed, isSpace } from './tag-reader.ts'

const GREATER = 62
const SLASH = 47
const DASH = 45
const EXCLAMATION = 33

/** The index after the comment, declaration or CDATA section that begins at `open` with `<!`, `<?` or `</`; the length when it never ends. */
export function endOfDeclaration(html: string, open: number, inForeignContent: boolean): number {
  if (html.startsWith('<!--', open)) return endOfComment(html, open + 4)
  // In HTML content a CDATA section is a bogus comment, that ends at the first `>`.
  if (inForeignContent && html.startsWith('<![CDATA[', open)) return after(html, ']]>', open + 9)
  return after(html, '>', open + 2)
}

/** The index of the end tag `</name` that ends the raw text from `from` on; the length when there is none. */
export function endOfRawText(html: string, from: number, name: string): number {
  const end = nextEndTag(html, from, name)
  return name === 'script' && html.slice(from, end).includes('<!--') ? endOfEscapedScript(html, from) : end
}

/**
 * A script may hold its own end tag: after `<!-- <script`, up to `-->` or one more end tag.
 * Source: HTML standard §13.2.5.15 to §13.2.5.31.
 */
function endOfEscapedScript(html: string, from: number): number {
  const mark = /<!--|-->|<\/?script[\t\n\f\r />]/gi
  let state: 'plain' | 'escaped' | 'twice' = 'plain'
  mark.lastIndex = from
  for (let found = mark.exec(html); found !== null; found = mark.exec(html)) {
    const [text] = found
    if (text === '<!--') {
      if (state === 'plain') state = 'escaped'
      // The dashes may be those of the end: `<!-->`.
      mark.lastIndex = found.index + 2
    } else if (text === '-->') state = 'plain'
    else if (text.startsWith('</')) {
      if (state !== 'twice') return found.index
      state = 'escaped'
    } else if (state === 'escaped') state = 'twice'
  }
  return html.length
}

/** `from` is after `<!--`. Ends at `-->` and `--!>`; at once at `>` and `->`. Source: HTML standard §13.2.5.43 to §13.2.5.52. */
function endOfComment(html: string, from: number): number {
  if (html.charCodeAt(from) === GREATER) return from + 1
  if (html.startsWith('->', from)) return from + 2
  let dashes = html.indexOf('--', from)
  while (dashes !== -1) {
    const code = html.charCodeAt(dashes + 2)
    if (code === GREATER) return dashes + 3
    if (code === EXCLAMATION && html.charCodeAt(dashes + 3) === GREATER) return dashes + 4
    dashes = html.indexOf('--', code === DASH ? dashes + 1 : dashes + 2)
  }
  return html.length
}

function nextEndTag(html: string, from: number, name: string): number {
  let at = html.indexOf('</', from)
  while (at !== -1) {
    if (isNamed(html, at + 2, name)) {
      const code = html.charCodeAt(at + 2 + name.length)
      if (code === GREATER || code === SLASH || isSpace(code)) return at
    }
    at = html.indexOf('</', at + 2)
  }
  return html.length
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}
