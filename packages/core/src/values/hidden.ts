// What is in place of a value that nobody is to read: in a store, a report, an event, a log, an error.
//
// Characters that neither URLs, nor forms (`URLSearchParams`), nor the canonical form of a query escape: a handler may take it apart and put it together.

/** In place of the value of a parameter, a body, or a header field that a seed gave. */
export const HIDDEN_VALUE = '__secret__'

/** What a reference of any kind begins with, and nothing else of ours: others have a number in it. */
const START = '__secret'

/** Whether `text` may begin with a reference: cheap, for the hot path. */
export function isHidden(text: string | undefined): boolean {
  return text?.startsWith(START) === true
}
