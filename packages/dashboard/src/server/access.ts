// Who may see the page: the one who has the link or the password, from a browser that was sent here by nobody else.
//
// A page of the web can make a browser ask 127.0.0.1: by a link or a form (refused by Sec-Fetch-Site and Origin), by a name of its own that suddenly leads here
// (DNS rebinding; refused by Host, which then has that name), or by a script (the same, and no answer of ours may be read across origins). The token in the
// link is exchanged for a cookie at once, so that it is neither in the address bar nor in a Referer. Cookies are shared by all ports of a host, hence the port
// in the name. Rejected: HTTP authentication, which browsers send along with requests that other sites cause.
// Sources: https://www.w3.org/TR/fetch-metadata/, RFC 6265bis §5.2 (SameSite), https://cheatsheetseries.owasp.org (CSRF).
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { isLoopback } from '@avocet/metrics/address'

/** 256 bits. */
const SECRET_BYTES = 32

/** What one server lets in. */
export interface AccessWish {
  /** As it was given: an address, or a name. */
  readonly host: string
  readonly port: number
  /** Absent: only the link opens the page. */
  readonly password?: string
}

/** One server's. */
export class Access {
  readonly token: string = secret()
  readonly #session = secret()
  readonly #wish: AccessWish
  readonly #wrong = new WrongPasswords()

  constructor(wish: AccessWish) {
    this.#wish = wish
  }

  /** Whether there is a password that could be asked for. */
  get asksPassword(): boolean {
    return this.#wish.password !== undefined
  }

  /** What a browser keeps once it is let in. */
  get cookie(): string {
    return `${this.#cookieName}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`
  }

  /** Whether a request was sent by another site's page: not by ours, and not typed by its user. */
  isForeign(headers: IncomingHttpHeaders): boolean {
    const { host = '', origin, 'sec-fetch-site': site } = headers
    if (!this.#isOwnName(host)) return true
    if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true
    return site !== undefined && site !== 'same-origin' && site !== 'none'
  }

  /** Whether a request comes from a browser that was let in. */
  hasSession({ cookie = '' }: IncomingHttpHeaders): boolean {
    const prefix = `${this.#cookieName}=`
    return cookie.split(/; ?/).some((part) => part.startsWith(prefix) && isSame(part.slice(prefix.length), this.#session))
  }

  /** Whether the link is ours. */
  isToken(said: string): boolean {
    return isSame(said, this.token)
  }

  /** Whether the password is right; undefined where too many from there were wrong. `now`: monotonic ms. */
  isPassword(said: string, from: string, now: number): boolean | undefined {
    const { password } = this.#wish
    if (password === undefined) return false
    if (this.#wrong.isTooMany(from, now)) return undefined
    const isRight = isSame(said, password)
    if (!isRight) this.#wrong.add(from, now)
    return isRight
  }

  get #cookieName(): string {
    return `avocet-${this.#wish.port}`
  }

  /** An address cannot be taken over by another site's name server, so that any is good where the server listens at several. */
  #isOwnName(said: string): boolean {
    const { host, port } = this.#wish
    const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(said)
    if (match === null) return false
    const [, name = '', saidPort = '80'] = match
    const bare = name.replace(/^\[|\]$/g, '').toLowerCase()
    if (bare === host.toLowerCase() && (Number(saidPort) === port || match[2] === undefined)) return true
    if (Number(saidPort) !== port) return false
    if (isLoopback(host)) return bare === 'localhost' || isLoopback(bare)
    return isIP(bare) !== 0 || bare === 'localhost'
  }
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** In a time that says nothing of how much of it is right. */
function isSame(said: string, right: string): boolean {
  return timingSafeEqual(digest(said), digest(right))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

// Counts wrong passwords per client, so guessing locks out only the guesser.
//
// An IPv6 network of 64 bits counts as one: it is given to one customer, who may use all of its addresses. Who has more networks than are remembered may guess
// faster, which a password of any length bears.

/** In a minute, before none is looked at. */
const MAX_WRONG = 10
const MINUTE_MS = 60_000
/** Senders that are remembered; of more, those that were wrong longest ago are forgotten. */
const MAX_SENDERS = 1_000

/** Those of the last minute. All moments are monotonic ms: a wall clock that is set back would make the minute an hour. */
export class WrongPasswords {
  /** By sender, in the order of the last one of each. */
  readonly #at = new Map<string, readonly number[]>()

  /** Whether no more are looked at now. */
  isTooMany(address: string, now: number): boolean {
    return this.#lately(senderOf(address), now).length >= MAX_WRONG
  }

  /** One more. */
  add(address: string, now: number): void {
    const sender = senderOf(address)
    const lately = [...this.#lately(sender, now), now]
    this.#at.delete(sender)
    this.#at.set(sender, lately)
    const [oldest] = this.#at.size > MAX_SENDERS ? this.#at.keys() : []
    if (oldest !== undefined) this.#at.delete(oldest)
  }

  #lately(sender: string, now: number): readonly number[] {
    return (this.#at.get(sender) ?? []).filter((at) => at > now - MINUTE_MS)
  }
}

/** `::ffff:192.0.2.7` is 192.0.2.7; of another IPv6 address the first half is what counts. */
function senderOf(address: string): string {
  const [bare = ''] = address.split('%')
  if (!isIPv6(bare)) return bare
  if (bare.includes('.')) return bare.slice(bare.lastIndexOf(':') + 1)
  const [before = '', after = ''] = bare.split('::')
  const first = before.split(':').filter((group) => group !== '')
  const last = after.split(':').filter((group) => group !== '')
  const zeros = bare.includes('::') ? Array.from({ length: 8 - first.length - last.length }, () => '0') : []
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
