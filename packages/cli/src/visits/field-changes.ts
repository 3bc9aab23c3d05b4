// Law: which fields differ between two values, each with its path, and before and after as short texts.
//
// Fields of objects are compared by name. Of arrays the elements that are the same at the beginning and at the end are set aside; those between are compared
// one by one. Values are what a site chose: paths and texts are bounded, and whoever shows them makes them printable.

/** A field that differs. `null`: it is not there. */
export interface FieldChange {
  /** `offers[0].price`; empty: the whole item. */
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** Those that fit, and how many more there are. */
export interface FieldChanges {
  readonly fields: readonly FieldChange[]
  readonly more: number
}

/** What is further inside is compared as a text. */
const MAX_DEPTH = 8
const MAX_TEXT = 160
const MAX_PATH = 120
/** So much is shown in front of where two long texts begin to differ. */
const CONTEXT = 20

/** From `before` to `after`, which are JSON; `undefined`: not there. At most `most`. */
export function fieldChanges(before: unknown, after: unknown, most: number): FieldChanges {
  const found = new Found(most)
  compare({ before, after }, { path: '', depth: 0, found })
  return found
}

class Found implements FieldChanges {
  readonly fields: FieldChange[] = []
  more = 0
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(path: string, { before, after }: Both): void {
    if (this.fields.length >= this.#most) this.more++
    else this.fields.push({ path: shortened(path, MAX_PATH), ...shownAs(before, after) })
  }
}

interface Both {
  readonly before: unknown
  readonly after: unknown
}

interface Place {
  readonly path: string
  readonly depth: number
  readonly found: Found
}

function compare({ before, after }: Both, place: Place): void {
  const { path, depth, found } = place
  if (before === after) return
  if (depth < MAX_DEPTH && isObject(before) && isObject(after)) return compareRecords(before, after, place)
  if (depth < MAX_DEPTH && Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, place)
  if (textOf(before) !== textOf(after)) found.add(path, { before, after })
}

function compareRecords(before: Fields, after: Fields, { path, depth, found }: Place): void {
  for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
    const both = { before: fieldOf(before, name), after: fieldOf(after, name) }
    compare(both, { path: joined(path, name), depth: depth + 1, found })
  }
}

function compareLists(before: readonly unknown[], after: readonly unknown[], { path, depth, found }: Place): void {
  const [was, is] = [before.map(textOf), after.map(textOf)]
  const least = Math.min(was.length, is.length)
  let begin = 0
  while (begin < least && was[begin] === is[begin]) begin++
  let end = 0
  while (end < least - begin && was.at(-1 - end) === is.at(-1 - end)) end++
  for (let index = begin; index < Math.max(was.length, is.length) - end; index++) {
    const both = {
      before: index < was.length - end ? before[index] : undefined,
      after: index < is.length - end ? after[index] : undefined,
    }
    compare(both, { path: `${path}[${index}]`, depth: depth + 1, found })
  }
}

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether it is one. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Its own field of this name, whatever the name is. */
export function fieldOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

function joined(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(shortened(name, MAX_PATH))}]`
  return path === '' ? name : `${path}.${name}`
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A newer Node.js has written what is nested more deeply than this one can write.
    return 'too deep'
  }
}

/** Texts are shown without quotes, unless that would make them look like something else. */
function shownAs(before: unknown, after: unknown): Pick<FieldChange, 'before' | 'after'> {
  const isPlain = [before, after].every((value) => value === undefined || (typeof value === 'string' && value !== ''))
  const text = (value: unknown): string | null =>
    value === undefined ? null : isPlain && typeof value === 'string' ? value : (textOf(value) ?? null)
  const [was, is] = [text(before), text(after)]
  const begin = Math.max(0, firstDifference(was ?? '', is ?? '') - CONTEXT)
  return { before: was && windowOf(was, begin), after: is && windowOf(is, begin) }
}

function firstDifference(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  let at = 0
  while (at < length && one[at] === other[at]) at++
  return at
}

/** Of a text that fits all; of a longer one what there is from `begin` on. */
function windowOf(text: string, begin: number): string {
  if (text.length <= MAX_TEXT) return text
  return begin === 0 ? shortened(text, MAX_TEXT) : `…${shortened(text.slice(begin), MAX_TEXT)}`
}

/** Cut at so many characters. */
export function shortened(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most)}…` : text).toWellFormed()
}
