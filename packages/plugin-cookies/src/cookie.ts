// A cookie at rest: plain JSON, as it is in the memory of a host or of the crawl.

/** A cookie, or, where `gone` is set, the note that a server took one back. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** Host name, or the domain whose subdomains get it as well (`hostOnly` false). Lower case, no dot in front. */
  readonly domain: string
  readonly hostOnly: boolean
  readonly path: string
  readonly secure?: true
  /** Absent: none, or one that is unknown. */
  readonly sameSite?: 'strict' | 'lax'
  /** Epoch ms of the crawl's clock. Absent: for as long as the session. Of a note: when that cookie would have expired. */
  readonly expires?: number
  /** Epoch ms at which a cookie of this name, domain and path was first set. */
  readonly created: number
  /** Epoch ms at which it was last sent, to the hour: it orders what is thrown away, and is not worth a write for each page. */
  used: number
  /** Epoch ms at which the exchange that set it was booked, and its number at its host: what is older changes nothing. */
  readonly at: number
  readonly seq: number
  /** It was taken back. Kept for a while, so that an older answer does not bring it back. */
  readonly gone?: true
}

/** Whether both have one place in a jar (RFC 6265 §5.3, step 11). */
export function isSameCookie(a: Cookie, b: Cookie): boolean {
  return a.name === b.name && a.path === b.path && a.domain === b.domain && a.hostOnly === b.hostOnly
}

/** Whether the answer that set `a` is older than that which set `b`. Exchanges of one moment are at one host, mostly, and their numbers ascend. */
export function isOlder(a: Cookie, b: Cookie): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq)
}

/** Whether it can be sent at `now`. */
export function isSendable({ gone, expires = Infinity }: Cookie, now: number): boolean {
  return gone !== true && expires > now
}
