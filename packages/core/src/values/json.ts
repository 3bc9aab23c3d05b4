// What plain JSON is, as a type: plugin memory, request data and items must survive being written down and read back.

/** Any value that JSON can carry without loss. Numbers are finite; `undefined`, functions, dates and class instances are not JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * `T` if it is made of JSON only, otherwise a type that `T` does not fit, so that the mistake is a compile error at its place.
 *
 * Interfaces have no index signature, so `T extends Json` would refuse them: this walks the members instead.
 */
export type JsonShape<T> = T extends null | boolean | number | string
  ? T
  : T extends (...args: never[]) => unknown
    ? never
    : T extends symbol | bigint | Date | Map<unknown, unknown> | Set<unknown>
      ? never
      : T extends object
        ? { [K in keyof T]: undefined extends T[K] ? JsonShape<Exclude<T[K], undefined>> | undefined : JsonShape<T[K]> }
        : never
