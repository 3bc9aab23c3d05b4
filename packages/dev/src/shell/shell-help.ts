// What `.help` of the shell says: what there is inside, with an example of each, and the REPL's own commands below it.
import { columnsOf, fold } from '@avocet/project/text'

/** What to write, and what it gives. */
type Row = readonly [example: string, text: string]

const INSIDE: readonly Row[] = [
  ['page.title', 'the page at hand; page.url, page.request.data, page.body'],
  ["$('h1').text()", 'cheerio on it'],
  ["text('h1')", 'the text of what a selector finds'],
  ["links('.offer a')", 'links of the page, or those that a selector finds'],
  ['items()', "items of the page, from the crawl's handler for it, or start"],
  ["items('offer', { id: 7 })", 'items from this handler, called with this data'],
  ["fetch('/offer/7')", 'another page, in its turn; from then on it is page'],
  ["fetch('/search', { method: 'POST', body: 'q=tea' })", 'with a method, a body, headers'],
  ['fetch(page.url, { refetch: true })', 'the page anew, even if its response is kept'],
  ['spider.handlers', 'the spider of --spider, or of the configuration'],
]

const EXAMPLE_COLUMNS = 30
const MIN_TEXT_COLUMNS = 20

/** Lines of at most `columns`. `commands`: of a REPL, by name. */
export function shellHelp(
  columns: number,
  commands: Readonly<Record<string, { readonly help?: string | undefined } | undefined>>,
): string[] {
  const own = Object.entries(commands).map(([name, command]): Row => [`.${name}`, command?.help ?? ''])
  const rows = [...INSIDE, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1))]
  return rows.flatMap(([example, text]) => {
    const [first = '', ...more] = fold(text, Math.max(MIN_TEXT_COLUMNS, columns - EXAMPLE_COLUMNS - 2))
    const below = more.map((line) => ' '.repeat(EXAMPLE_COLUMNS) + line)
    const row = `  ${example}`.padEnd(EXAMPLE_COLUMNS)
    return columnsOf(row) > EXAMPLE_COLUMNS
      ? [`  ${example}`, ' '.repeat(EXAMPLE_COLUMNS) + first, ...below]
      : [row + first, ...below]
  })
}
