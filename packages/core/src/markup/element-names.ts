// The names of elements that the scanner treats in a way of their own.
import { isNamed } from './tag-reader.ts'

const RAW_TEXT_NAMES = ['script', 'style', 'title', 'textarea', 'iframe', 'noembed', 'noframes', 'xmp', 'plaintext']

/** Elements whose content is text without markup, by the place of their first letter in the alphabet. Source: HTML standard §13.2.6. */
export const RAW_TEXT: readonly (readonly string[] | undefined)[] = Array.from({ length: 26 }, (_, place) => {
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

/** Whether the name of `length` characters at `at` is `svg` or `math`. */
export function foreignName(html: string, at: number, length: number): boolean {
  return (length === 3 && isNamed(html, at, 'svg')) || (length === 4 && isNamed(html, at, 'math'))
}
