// Finds what in a value would not survive being written as JSON and read back.

/** Path and kind of the first such thing; undefined when all of `value` is plain JSON. A field that is `undefined` counts as left out. */
export function unlikeJson(value: unknown, path: string = 'memory'): string | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : `${path} is ${String(value)}, and JSON has no such number`
  if (typeof value !== 'object') return `${path} is a ${typeof value}`
  if (!Array.isArray(value) && !isPlain(value)) return `${path} is a ${value.constructor.name}`
  for (const [key, member] of Object.entries(value)) {
    const flaw = unlikeJson(member, `${path}.${key}`)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
