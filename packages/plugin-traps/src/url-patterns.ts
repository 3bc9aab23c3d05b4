// The pattern of a URL: what varies from page to page is abstracted, so that the URLs of one template share one short name.
//
// Names from narrow to wide: `/cal/day?d=*`, `/cal/day?**`, `/cal/**?d=*`, and `/**` for all of the host, which is never closed. Numbers in folders
// become `#`, tokens (hexadecimal, or long and mixed) `*`; the last segment is a value, and so are those of the query and of path parameters
// (`;jsessionid=*`). With a query the last segment is a script and keeps its name. A run of folders that look alike is one: `/#/#/#/` grows for ever.
// What is abstracted is never part of a name, so patterns are few.

/** Everything of a host. */
export const WHOLE_HOST = '/**'
const MAX_FOLDERS = 3
const MAX_KEYS = 8
/** Of a name that is kept. */
const MAX_NAME = 40
/** A year and a month, with a day or not, as people write them into URLs. */
const DATE = /(?<!\d)(?:19|20|21)\d\d[-/_.]?(?:0?[1-9]|1[0-2])(?:[-/_.]?(?:0?[1-9]|[12]\d|3[01]))?(?!\d)/
const DATE_KEY = /[?&](?:year|month|day|date|week)=/i
const DIGIT = /\d/
/** Session identifiers, nonces, hashes. */
const TOKEN = /^(?=.*\d)(?:[\da-f]{8,}|(?=.*[a-z])[\w~-]{16,})$/i

/** Folders whose patterns are known: a few hundred of each host, and every new link asks for one. All are forgotten when it is full. */
const MAX_KNOWN = 4_096
const knownFolders = new Map<string, Folders>()

/** The pattern of all folders, and of the first. */
interface Folders {
  readonly all: string
  readonly first: string
}

/**
 * The patterns of `url` (WHATWG form) within its host: narrow first, without doubles; at most four, the last is the whole host.
 *
 * @example
 * ```ts
 * urlPatterns('http://shop.example/events/list?day=2026-11-22') // ['/events/list?day=*', '/events/list?**', '/events/**?day=*', '/**']
 * ```
 */
export function urlPatterns(url: string): readonly string[] {
  const from = url.indexOf('/', url.indexOf('//') + 2)
  const question = url.indexOf('?', from)
  const end = question === -1 ? url.length : question
  const query = question === -1 ? '' : queryPattern(url.slice(question + 1))
  // The last segment, with the slash that it may end in.
  const slash = end - from < 2 ? from : url.lastIndexOf('/', end - 2)
  const { all, first } = foldersOf(url.slice(from + 1, Math.max(from + 1, slash)))
  const script = `${all}/${leafPattern(url.slice(slash + 1, end), query !== '')}`
  const names = query === '' ? [script] : [script + query, `${script}?**`]
  const wide = `${first}/**${query}`
  return wide === WHOLE_HOST ? [...names, WHOLE_HOST] : [...names, wide, WHOLE_HOST]
}

/**
 * The numbers that a page of a date may show of it: those of the date in its URL, of the days, months and years beside it, and the ends of months.
 * None where the URL has no date.
 */
export function dateNumbers(url: string): ReadonlySet<number> {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  if (!DATE.test(path) && !DATE_KEY.test(path)) return NONE
  const numbers = new Set(MONTH_ENDS)
  for (const [digits] of path.matchAll(/\d{1,4}/g)) for (const step of [-1, 0, 1]) numbers.add(Number(digits) + step)
  return numbers
}

const NONE: ReadonlySet<number> = new Set()
const MONTH_ENDS: readonly number[] = [28, 29, 30, 31]

function foldersOf(path: string): Folders {
  const known = knownFolders.get(path)
  if (known !== undefined) return known
  const names = path === '' ? [] : folderNames(path)
  const made = { all: names.map((name) => `/${name}`).join(''), first: names[0] === undefined ? '' : `/${names[0]}` }
  if (knownFolders.size >= MAX_KNOWN) knownFolders.clear()
  // A piece of a URL would keep all of it in RAM.
  knownFolders.set(` ${path}`.slice(1), made)
  return made
}

function folderNames(path: string): string[] {
  const names: string[] = []
  let isCut = false
  for (const segment of path.split('/')) {
    const name = folded(segment)
    if (name === names.at(-1)) isCut = true
    else if (names.length < MAX_FOLDERS) names.push(name)
    else isCut = true
  }
  return isCut ? [...names, '**'] : names
}

function leafPattern(leaf: string, hasQuery: boolean): string {
  const tail = leaf.endsWith('/') ? '/' : ''
  const name = tail === '' ? leaf : leaf.slice(0, -1)
  if (name === '') return tail
  if (hasQuery) return folded(name) + tail
  const semicolon = name.indexOf(';')
  const parameters = semicolon === -1 ? '' : parameterPattern(name.slice(semicolon))
  const [extension = ''] = /\.[a-z]{2,5}$/i.exec(semicolon === -1 ? name : name.slice(0, semicolon)) ?? []
  return `*${extension.toLowerCase()}${parameters}${tail}`
}

function folded(segment: string): string {
  const semicolon = segment.indexOf(';')
  const name = semicolon === -1 ? segment : segment.slice(0, semicolon)
  const parameters = semicolon === -1 ? '' : parameterPattern(segment.slice(semicolon))
  if (!DIGIT.test(name)) return name.slice(0, MAX_NAME) + parameters
  return (TOKEN.test(name) ? '*' : name.slice(0, MAX_NAME).replaceAll(/\d+/g, '#')) + parameters
}

/** `;jsessionid=0A1B` is `;jsessionid=*`. */
function parameterPattern(text: string): string {
  return text
    .slice(0, 4 * MAX_NAME)
    .split(';', 4)
    .map((parameter) => keyPattern(parameter))
    .join(';')
}

/** `''` for a query without keys. */
function queryPattern(query: string): string {
  const parts = query.split('&', MAX_KEYS + 1)
  const isCut = parts.length > MAX_KEYS
  const keys = [...new Set(parts.slice(0, MAX_KEYS).map((part) => keyPattern(part)))].sort().join('&')
  if (isCut) return `?${keys}&**`
  return keys === '' ? '' : `?${keys}`
}

/** A key is a name as long as it looks like one. */
function keyPattern(part: string): string {
  const equals = part.indexOf('=')
  const key = equals === -1 ? part : part.slice(0, equals)
  const name = DIGIT.test(key) ? (TOKEN.test(key) ? '*' : key.slice(0, MAX_NAME).replaceAll(/\d+/g, '#')) : key.slice(0, MAX_NAME)
  return equals === -1 ? name : `${name}=*`
}
