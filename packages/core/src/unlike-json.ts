// Finds what in a value would not survive being written as JSON and read back.

/** Deeper is taken for a cycle. */
const DEEPEST = 100

interface Flaw {
  readonly path: string
  readonly what: string
}

const NO_MEMBER: Flaw = { path: '', what: 'is undefined, and a list in JSON has no such member' }

/**
 * Path and kind of the first such thing; undefined when all of `value` is plain JSON. A field that is `undefined` counts as left out.
 *
 * @example
 * ```ts
 * unlikeJson({ since: [new Date(0)] }) // 'memory.since[0] is a Date'
 * ```
 */
export function unlikeJson(value: unknown, name: string = 'memory'): string | undefined {
  const flaw = flawIn(value, 0)
  return flaw && `${name}${flaw.path} ${flaw.what}`
}

/** The path is put together on the way back, for nearly always there is no flaw. */
function flawIn(value: unknown, depth: number): Flaw | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path: '', what: `is ${String(value)}, and JSON has no such number` }
  if (typeof value !== 'object') return { path: '', what: `is a ${typeof value}` }
  if (!Array.isArray(value) && !isPlain(value))
    return { path: '', what: `is a ${value.constructor?.name ?? 'object of its own kind'}` }
  if (depth > DEEPEST) return { path: '', what: `is nested more than ${DEEPEST} deep` }
  if (Array.isArray(value)) return flawInList(value, depth)
  for (const [key, member] of Object.entries(value)) {
    const flaw = flawIn(member, depth + 1)
    if (flaw !== undefined) return { path: `.${key}${flaw.path}`, what: flaw.what }
  }
  return undefined
}

/** By index, for a list may have holes; in it nothing can be left out. */
function flawInList(list: readonly unknown[], depth: number): Flaw | undefined {
  for (let at = 0; at < list.length; at++) {
    const member = list[at]
    const flaw = member === undefined ? NO_MEMBER : flawIn(member, depth + 1)
    if (flaw !== undefined) return { path: `[${at}]${flaw.path}`, what: flaw.what }
  }
  return undefined
}

/** Whether a value is an object without a class of its own. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
