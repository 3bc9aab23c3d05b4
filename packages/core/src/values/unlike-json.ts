// Finds what in a value would not survive being written as JSON and read back.

const DEEPEST = 100
/** All lists and objects together. As many numbers are written in some 50 ms; what is shared by many objects is written as often as it is met. */
const MOST_MEMBERS = 1_000_000

interface Flaw {
  readonly path: string
  readonly what: string
}

/** Where a search is. */
interface Search {
  readonly name: string
  /** The objects and lists in which it is, the outermost first, with what the next one is called in them. */
  readonly inside: { readonly value: object; key: string }[]
  members: number
}

const NO_MEMBER: Flaw = { path: '', what: 'is undefined, and a list in JSON has no such member' }

/**
 * Path and kind of the first such thing; undefined when all of `value` is plain JSON. A field that is `undefined` counts as left out.
 * More than 1,000,000 members, or lists and objects that are nested more than 100 deep, count as such a thing, too.
 *
 * @example
 * ```ts
 * unlikeJson({ since: [new Date(0)] }) // 'memory.since[0] is a Date'
 * ```
 */
export function unlikeJson(value: unknown, name: string = 'memory'): string | undefined {
  const flaw = flawIn(value, { name, inside: [], members: 0 })
  return flaw && `${name}${flaw.path} ${flaw.what}`
}

/** The path is put together on the way back, for nearly always there is no flaw. */
function flawIn(value: unknown, search: Search): Flaw | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path: '', what: `is ${String(value)}, and JSON has no such number` }
  if (typeof value !== 'object') return { path: '', what: `is a ${typeof value}` }
  if (!Array.isArray(value) && !isPlain(value))
    return { path: '', what: `is a ${value.constructor?.name ?? 'object of its own kind'}` }
  const { inside, name } = search
  const at = inside.findIndex((each) => each.value === value)
  if (at !== -1) return { path: '', what: `is ${name}${keysOf(inside.slice(0, at))} again: a cycle` }
  if (inside.length > DEEPEST) return { path: '', what: `is nested more than ${DEEPEST} deep` }
  // JSON.stringify calls it also where no list of the fields has it.
  if ('toJSON' in value && typeof value.toJSON === 'function') return { path: '.toJSON', what: 'is a function' }
  const place = { value, key: '' }
  inside.push(place)
  const flaw = Array.isArray(value) ? flawInList(value, place, search) : flawInFields(value, place, search)
  inside.pop()
  return flaw
}

type Place = Search['inside'][number]

function keysOf(places: readonly Place[]): string {
  return places.map(({ key }) => key).join('')
}

function flawInFields(value: object, place: Place, search: Search): Flaw | undefined {
  for (const [key, member] of Object.entries(value)) {
    place.key = `.${key}`
    const flaw = isOneTooMany(search) ? tooMany() : flawIn(member, search)
    if (flaw !== undefined) return { path: `.${key}${flaw.path}`, what: flaw.what }
  }
  return undefined
}

/** In a list nothing can be left out, and it may have holes. */
function flawInList(list: readonly unknown[], place: Place, search: Search): Flaw | undefined {
  // Most lists are of texts. By a built-in: a loop of ours is compiled anew for each kind of array.
  if (list.findIndex((member) => typeof member !== 'string') === -1)
    return (search.members += list.length) > MOST_MEMBERS ? tooMany() : undefined
  for (const [at, member] of list.entries()) {
    place.key = `[${at}]`
    const flaw = isOneTooMany(search) ? tooMany() : member === undefined ? NO_MEMBER : flawIn(member, search)
    if (flaw !== undefined) return { path: `[${at}]${flaw.path}`, what: flaw.what }
  }
  return undefined
}

function isOneTooMany(search: Search): boolean {
  return ++search.members > MOST_MEMBERS
}

function tooMany(): Flaw {
  return { path: '', what: `is one of more than ${MOST_MEMBERS.toLocaleString('en')} members` }
}

/** Whether a value is an object without a class of its own, in whichever realm (`node:vm`) it was made. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  // Each realm has an Object.prototype of its own, and nothing else is at the root with this method.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf')
}
