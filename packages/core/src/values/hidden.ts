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

/** Names of query parameters, decoded and in lower case, whose values any process hid, by core's memory of the crawl. */
export function hiddenNamesIn(left: readonly { readonly secretParameters?: readonly string[] }[]): readonly string[] {
  return [...new Set(left.flatMap(({ secretParameters = [] }) => secretParameters))].toSorted()
}

/** Makes of a URL one without the values of these parameters. */
export type HideIn = (url: string, names: readonly string[]) => string
