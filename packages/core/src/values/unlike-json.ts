// Finds what in a value would not survive being written as JSON and read back.

const DEEPEST = 100
/** All lists and objects together. As many numbers are written in some 50 ms; what is shared by many objects is written as often as it is met. */
const MOST_MEMBERS = 1_000_000

const TOO_MANY = ' is one of more than 1,000,000 members'

/** Where a search is. */
interface Search {
  /** The objects and lists in which it is, the outermost first. */
  readonly inside: object[]
  members: number
}

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
  const flaw = flawIn(value, { inside: [], members: 0 })
  return flaw && name + flaw
}

/** Its path is put together on the way back, for nearly always there is no flaw. */
function flawIn(value: unknown, search: Search): string | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : ` is ${value}, and JSON has no such number`
  if (typeof value !== 'object') return ` is a ${typeof value}`
  if (!Array.isArray(value) && !isPlain(value)) return ` is a ${value.constructor?.name ?? 'object of its own kind'}`
  if (search.inside.includes(value)) return ' is in itself: a cycle'
  if (search.inside.length > DEEPEST) return ` is nested more than ${DEEPEST} deep`
  // JSON.stringify calls it also where no list of the fields has it.
  if ('toJSON' in value && typeof value.toJSON === 'function') return '.toJSON is a function'
  search.inside.push(value)
  const flaw = Array.isArray(value) ? flawInList(value, search) : flawInFields(value, search)
  search.inside.pop()
  return flaw
}

function flawInFields(value: object, search: Search): string | undefined {
  for (const key of Object.keys(value)) {
    const flaw = flawInMember((value as Readonly<Record<string, unknown>>)[key], search)
    if (flaw !== undefined) return `.${key}${flaw}`
  }
  return undefined
}

/** In a list nothing can be left out, and it may have holes. */
function flawInList(list: readonly unknown[], search: Search): string | undefined {
  // Most lists are of texts. By a built-in: a loop of ours is compiled anew for each kind of array.
  if (list.findIndex((member) => typeof member !== 'string') === -1)
    return (search.members += list.length) > MOST_MEMBERS ? TOO_MANY : undefined
  for (const [at, member] of list.entries()) {
    const flaw = member === undefined ? ' is undefined, and a list in JSON has no such member' : flawInMember(member, search)
    if (flaw !== undefined) return `[${at}]${flaw}`
  }
  return undefined
}

function flawInMember(member: unknown, search: Search): string | undefined {
  return ++search.members > MOST_MEMBERS ? TOO_MANY : flawIn(member, search)
}

/** Whether a value is an object without a class of its own, in whichever realm (`node:vm`) it was made. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  // Each realm has an Object.prototype of its own, and nothing else is at the root with this method.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf')
}
