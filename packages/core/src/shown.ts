// A value as a message shows what came: short, in one line, and without running anything of it.

const MAX_TEXT = 80

/** A text in quotes, a number as it is, and of all else the kind. */
export function shown(got: unknown): string {
  if (typeof got === 'string') return JSON.stringify(got.slice(0, MAX_TEXT))
  if (typeof got === 'bigint') return `${got}n`
  if (typeof got === 'function') return 'a function'
  if (typeof got !== 'object' || got === null) return String(got)
  return Array.isArray(got) ? 'a list' : 'an object'
}

/** What an object that is no plain one is: `an iterator`, `an instance of Set`. */
export function kindOf(got: object): string {
  const { next, constructor } = got as { readonly next?: unknown; readonly constructor?: { readonly name?: unknown } }
  if (typeof next === 'function' && (Symbol.iterator in got || Symbol.asyncIterator in got)) return 'an iterator'
  const name = constructor?.name
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object of a class without a name'
}
