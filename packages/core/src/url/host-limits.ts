// Keeps hosts that no name server can know away from the URL parser, and out of the crawl.
//
// The platform's parser is quadratic in the length of a label that is not ASCII: 60 ms for one of 10,000 ideographs, and a page has thousands of
// links. A name has 253 octets at most, a label 63 (RFC 1035 §2.3.4). Neither gets longer by what the parser does to it, so what is too long as it
// is written is refused unparsed; what is too long once it is written in ASCII, afterwards.

const MAX_NAME = 253
const MAX_LABEL = 63
/** An ideograph is 9 characters when it is percent-encoded. */
const ENCODED_LENGTH = 9
/** What the parser takes for a dot. Source: UTS #46 §2.3. */
const DOT = /[.\u3002\uff0e\uff61]|%2e/i
const PORT = /:\d{0,5}$/

/** Whether no name can be as long as `host`, which may have a port and may be written in any way. */
export function isOverlongHost(host: string): boolean {
  if (host.length <= MAX_LABEL) return false
  const name = host.replace(PORT, '')
  const factor = name.includes('%') ? ENCODED_LENGTH : 1
  // One more for the dot at the end.
  if (name.length > (MAX_NAME + 1) * factor) return true
  return (
    name.split(DOT).some((label) => label.length > MAX_LABEL * factor) || (name.length > MAX_NAME * factor && !name.endsWith('.'))
  )
}
