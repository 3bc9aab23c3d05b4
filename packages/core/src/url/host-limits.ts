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
const BAD_PORTS: ReadonlySet<string> = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 ' +
    '512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 ' +
    '6668 6669 6679 6697 10080'
  ).split(' '),
)

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

// Ports that speak another protocol than HTTP: a page must not have us talk to mail servers and the like, which may take our request for commands.
// Source: Fetch Standard, "bad port" (https://fetch.spec.whatwg.org/#port-blocking), as of 2025-10. Browsers and Node's own fetch refuse the same ones.

/**
 * The port of `host` (a name or address, with its port when that is not the default one), if no crawl may ever speak HTTP to it.
 *
 * @example
 * ```ts
 * badPortOf('mail.example:25') // '25'
 * badPortOf('shop.example') // undefined
 * ```
 */
export function badPortOf(host: string): string | undefined {
  const colon = host.lastIndexOf(':')
  if (colon === -1) return undefined
  // Of an address in brackets the last colon may be one of its own: `25]` is no port.
  const port = host.slice(colon + 1)
  return BAD_PORTS.has(port) ? port : undefined
}
