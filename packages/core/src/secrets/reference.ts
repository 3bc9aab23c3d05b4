// What stands for a secret wherever it may be read: in a store, a report, an event, a log, an error.
//
// Characters that neither URLs, nor forms (`URLSearchParams`), nor the canonical form of a query escape: a handler may take it apart and put it together.

/** In place of the value of a parameter, or of a header field that a seed gave. */
export const SECRET_REFERENCE = '__secret__'

/** What a reference of either kind begins with, and nothing else of ours. */
const START = '__secret'

/** Finds a reference of either kind: the source of a pattern. */
export const REFERENCE_SOURCE: string = String.raw`__secret(?:\.[0-9a-f]+\.\d+)?__`

/** In place of the value of a header field that a link gave: `process` in hexadecimal, and a number in it. */
export function numberedReference(process: string, number: number): string {
  return `${START}.${process}.${number}__`
}

/** Whether `text` may begin with a reference: cheap, for the hot path. */
export function beginsAsReference(text: string | undefined): boolean {
  return text?.startsWith(START) === true
}
