// Where the stretches of a document end that hold no tags: comments, declarations, scripts, styles and other raw text. All linear.
import { endsName, isNamed } from './tag-reader.ts'

/** Marks that look like the end and are not, before a stretch counts as one without an end. Each takes some 20 ns. */
const MAX_FALSE_ENDS = 1_000_000

/** In place of an index: there were too many false ends to look on. */
export const TOO_FAR = -1

/** Elements whose content is text without markup. Source: HTML standard §13.2.6. */
const RAW_TEXT_NAMES = ['script', 'style', 'title', 'textarea', 'iframe', 'noembed', 'noframes', 'xmp', 'plaintext']

/** By the place of their first letter in the alphabet. */
const RAW_TEXT: readonly (readonly string[] | undefined)[] = Array.from({ length: 26 }, (_, place) => {
  const names = RAW_TEXT_NAMES.filter((name) => name.charCodeAt(0) - 97 === place)
  return names.length === 0 ? undefined : names
})

/** Tags that end `<svg>` and `<math>` left open. Source: HTML standard §13.2.6.5. */
export const CLOSES_FOREIGN: ReadonlySet<string> = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ' +
    'ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)

const GREATER = 62
const OPEN = 60
const SLASH = 47
const DASH = 45
const EXCLAMATION = 33

/** The index after the comment, declaration or CDATA section that begins at `open` with `<!`, `<?` or `</`; the length when it never ends, or `TOO_FAR`. */
export function endOfDeclaration(html: string, open: number, inForeignContent: boolean): number {
  if (html.startsWith('<!--', open)) return endOfComment(html, open + 4)
  // In HTML content a CDATA section is a bogus comment, that ends at the first `>`.
  if (inForeignContent && html.startsWith('<![CDATA[', open)) return after(html, ']]>', open + 9)
  return after(html, '>', open + 2)
}

/** Which of them the tag is whose name begins at `at` with the letter `first`, in lower case. */
export function rawTextName(html: string, at: number, first: number): string | undefined {
  const names = RAW_TEXT[first - 97]
  if (names === undefined) return undefined
  for (const name of names) if (isNamed(html, at, name) && endsName(html.charCodeAt(at + name.length))) return name
  return undefined
}

/** The index of the end tag `</name` that ends the raw text from `from` on; the length when there is none, or `TOO_FAR`. */
export function endOfRawText(html: string, from: number, name: string): number {
  const end = nextEndTag(html, from, name)
  if (name !== 'script') return end
  return html.slice(from, end === TOO_FAR ? html.length : end).includes('<!--') ? endOfEscapedScript(html, from) : end
}

/**
 * A script may hold its own end tag: after `<!-- <script`, up to `-->` or one more end tag.
 * Source: HTML standard §13.2.5.15 to §13.2.5.31.
 */
function endOfEscapedScript(html: string, from: number): number {
  let state: 'plain' | 'escaped' | 'twice' = 'plain'
  let left = MAX_FALSE_ENDS
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at)
    if (code !== DASH && code !== OPEN) continue
    if (--left < 0) return TOO_FAR
    const next = html.charCodeAt(at + 1)
    if (code === DASH) {
      if (next === DASH && html.charCodeAt(at + 2) === GREATER) state = 'plain'
    } else if (next === EXCLAMATION) {
      // The dashes may be those of the end: `<!-->`.
      if (state === 'plain' && html.startsWith('--', at + 2)) state = 'escaped'
    } else if (next === SLASH && isScript(html, at + 2)) {
      if (state !== 'twice') return at
      state = 'escaped'
    } else if (state === 'escaped' && isScript(html, at + 1)) state = 'twice'
  }
  return html.length
}

/** `from` is after `<!--`. Ends at `-->` and `--!>`; at once at `>` and `->`. Source: HTML standard §13.2.5.43 to §13.2.5.52. */
function endOfComment(html: string, from: number): number {
  if (html.charCodeAt(from) === GREATER) return from + 1
  if (html.startsWith('->', from)) return from + 2
  let left = MAX_FALSE_ENDS
  for (let at = html.indexOf('--', from); at !== -1; at = html.indexOf('--', at)) {
    if (--left < 0) return TOO_FAR
    while (html.charCodeAt(at) === DASH) at++
    const code = html.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (code === EXCLAMATION && html.charCodeAt(at + 1) === GREATER) return at + 2
  }
  return html.length
}

function nextEndTag(html: string, from: number, name: string): number {
  let left = MAX_FALSE_ENDS
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (--left < 0) return TOO_FAR
    if (isNamed(html, at + 2, name) && endsName(html.charCodeAt(at + 2 + name.length))) return at
  }
  return html.length
}

function isScript(html: string, at: number): boolean {
  return isNamed(html, at, 'script') && endsName(html.charCodeAt(at + 6))
}

function after(html: string, mark: string, from: number): number {
  return Math.min(positionOf(html, mark, from) + mark.length, html.length)
}

/** Where `mark` is; the length when it is not there. */
function positionOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at
}

/** Whether the name of `length` characters at `at` is `svg` or `math`. */
export function foreignName(html: string, at: number, length: number): boolean {
  return (length === 3 && isNamed(html, at, 'svg')) || (length === 4 && isNamed(html, at, 'math'))
}
