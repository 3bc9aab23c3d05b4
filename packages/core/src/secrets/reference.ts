// What stands for a secret wherever it may be read: in a store, a report, an event, a log, an error.
//
// Characters that neither URLs, nor forms (`URLSearchParams`), nor the canonical form of a query escape: a handler may take it apart and put it together.

/** In place of the value of a parameter, or of a header field that a seed gave. */
export const SECRET_REFERENCE = '__secret__'
