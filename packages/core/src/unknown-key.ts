// An option that nobody reads: a misspelled one, most likely, that would be swallowed.
import { didYouMean } from './closest.ts'

/** What is wrong with the first key of `given` that is not `known`, as `has no 'everyMS' (did you mean 'everyMs'?)`; undefined when all are. */
export function unknownKey(given: object, known: ReadonlySet<string>): string | undefined {
  for (const key of Object.keys(given)) if (!known.has(key)) return `has no '${key}'${didYouMean(key, [...known])}`
  return undefined
}

/** The keys of a type, all of them: the compiler keeps the list whole. */
export function keysOf<Options extends object>(keys: Readonly<Record<keyof Options & string, true>>): ReadonlySet<string> {
  return new Set(Object.keys(keys))
}
