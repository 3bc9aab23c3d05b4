// What the request of a file carries. A link that was made by hand may carry anything, and a store may be older: what is no wish is left out.
import { isTypes, isInside, type FilesRules } from './options.ts'

/** What is wanted of a file, with the defaults of the plugin. */
export interface CheckedWish {
  /** Empty of a link that was made by hand. */
  readonly ref: string
  readonly to: string | undefined
  readonly maxBytes: number
  readonly types: readonly string[] | undefined
}

/** The wish in `data`. */
export function wishIn(data: unknown, rules: FilesRules): CheckedWish {
  const { ref, to, maxBytes, types } = (typeof data === 'object' && data !== null ? data : {}) as Readonly<
    Record<string, unknown>
  >
  return {
    ref: typeof ref === 'string' ? ref : '',
    to: typeof to === 'string' && isInside(to) ? to : undefined,
    maxBytes: Number.isSafeInteger(maxBytes) && (maxBytes as number) > 0 ? (maxBytes as number) : rules.maxBytes,
    types: isTypes(types) ? types : rules.types,
  }
}
