// Whether a page that came with a good status says that there is none: a soft 404.

/** Bytes at the beginning that are looked at: title and first heading. */
const MAX_BYTES = 2_048
const MISSING =
  /\b(?:page|file|url|document|article|product|nothing)[^.<>]{0,40}(?:not|n't|no longer|cannot be)\s(?:be\s)?(?:found|exist|available)|\b(?:error|status|http)?\s*404\b|\bnot found\b/i
const decoder = new TextDecoder('latin1')

/** By title and first heading. Of English pages, and of all that name the status. */
export function saysMissing(body: Uint8Array): boolean {
  const head = decoder.decode(body.subarray(0, MAX_BYTES))
  for (const [, text = ''] of head.matchAll(/<(?:title|h1)\b[^>]{0,200}>([^<]{0,200})/gi)) if (MISSING.test(text)) return true
  return false
}
