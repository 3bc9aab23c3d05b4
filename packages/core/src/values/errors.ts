// The one table of error codes, and the error class that carries them. A code is stable: it is never reused for another cause.
import { withoutUserinfo } from './userinfo.ts'

/** Who is at fault in a failure: the `host`, this `url` alone, the `local` machine (us), the `proxy` on the way, or the `user`'s own code. */
export type Blame = 'host' | 'url' | 'local' | 'proxy' | 'user'

/** Failures of one exchange: network trouble is data, never an exception that crosses the scheduler. */
export const FAILURES = {
  AVO_DNS_NOT_FOUND: { blame: 'host', summary: 'the host name does not exist' },
  AVO_DNS_FAILED: { blame: 'host', summary: 'the name server gave no answer' },
  AVO_CONNECT_TIMEOUT: { blame: 'host', summary: 'no connection within the limit' },
  AVO_CONNECT_REFUSED: { blame: 'host', summary: 'nobody listens at that port' },
  AVO_UNREACHABLE: { blame: 'host', summary: 'no route leads to the address of the host' },
  AVO_CONNECT_FAILED: { blame: 'host', summary: 'the host cannot be reached' },
  AVO_TLS_CERTIFICATE: { blame: 'host', summary: 'the certificate is expired, self-signed or for another name' },
  AVO_TLS_INTERMEDIATE: {
    blame: 'host',
    summary: 'the intermediate certificate is missing (browsers fetch it), or the CA is unknown here',
  },
  AVO_TLS_HTTP2_ONLY: { blame: 'host', summary: "the server speaks HTTP/2 only: set http2: 'auto' for it under hosts" },
  AVO_TLS_FAILED: { blame: 'host', summary: 'the TLS handshake failed' },
  AVO_FIRST_BYTE_TIMEOUT: { blame: 'host', summary: 'no response headers within the limit' },
  AVO_IDLE_TIMEOUT: { blame: 'host', summary: 'the body stopped coming' },
  AVO_TOTAL_TIMEOUT: { blame: 'host', summary: 'the exchange took longer than its deadline' },
  AVO_TOO_SLOW: { blame: 'host', summary: 'the body comes slower than the minimum throughput' },
  AVO_RESET: { blame: 'host', summary: 'the server reset the connection' },
  AVO_CLOSED_EARLY: { blame: 'host', summary: 'the server closed the connection without an answer' },
  AVO_STALE_SOCKET: { blame: 'local', summary: 'the connection ended as the request was sent, or refused it: it is repeated' },
  AVO_TRUNCATED: { blame: 'url', summary: 'the body is shorter than announced' },
  AVO_PROTOCOL: { blame: 'host', summary: 'the answer is not HTTP as RFC 9112 defines it' },
  AVO_HEADERS_TOO_LARGE: { blame: 'url', summary: 'the response headers exceed the limit' },
  AVO_INTERIM_FLOOD: { blame: 'host', summary: 'too many interim (1xx) responses' },
  AVO_BODY_TOO_LARGE: { blame: 'url', summary: 'the body exceeds the limit on the wire' },
  AVO_BODY_BUDGET: { blame: 'local', summary: 'the body does not fit in the memory that all bodies share' },
  AVO_DECODED_TOO_LARGE: { blame: 'url', summary: 'the decoded body exceeds the limit' },
  AVO_DECODE_RATIO: { blame: 'url', summary: 'the body expands more than a page does (a decompression bomb)' },
  AVO_ENCODING_CHAIN: { blame: 'url', summary: 'more content codings are stacked than the limit' },
  AVO_DECODE_FAILED: { blame: 'url', summary: 'the body is not in the content coding that it claims' },
  AVO_FILE_TYPE: { blame: 'url', summary: 'the answer is not of a type that is to be saved' },
  AVO_FILE_UNWRITABLE: { blame: 'local', summary: 'the body cannot be saved: the disk is full, read-only or does not respond' },
  AVO_FILE_RANGE: { blame: 'url', summary: 'the server sent another part of a file than was asked for' },
  AVO_ADDRESS_REFUSED: { blame: 'url', summary: 'the address is not a public one, and was not allowed for that host' },
  AVO_PORT_REFUSED: { blame: 'url', summary: 'the port belongs to another protocol than HTTP' },
  AVO_REDIRECT_LIMIT: { blame: 'url', summary: 'more redirects in a row than the limit' },
  AVO_REDIRECT_LOOP: { blame: 'url', summary: 'the page redirects to itself, or back to where it came from' },
  AVO_REDIRECT_TARGET: { blame: 'url', summary: 'the redirect leads to no http(s) URL of at most 8,000 bytes' },
  AVO_REQUIRED_ELSEWHERE: { blame: 'host', summary: 'a required document is on another host, which cannot be requested now' },
  AVO_PAGE_TOO_DEEP: { blame: 'url', summary: 'the page has more levels, elements or attributes than a DOM is built for' },
  AVO_LOCAL_RESOURCES: { blame: 'local', summary: 'this machine is out of descriptors, ports or buffers' },
  AVO_NETWORK_DOWN: { blame: 'local', summary: 'this machine has no network' },
  AVO_PROXY_UNREACHABLE: { blame: 'proxy', summary: 'no connection to the proxy' },
  AVO_PROXY_AUTH: { blame: 'proxy', summary: 'the proxy does not accept the user name and password, or lack of them' },
  AVO_PROXY_LIMIT: { blame: 'proxy', summary: 'the proxy opens no more tunnels: too many for now, or its quota is used up' },
  AVO_PROXY_PROTOCOL: { blame: 'proxy', summary: 'the proxy does not answer as one of its kind' },
  AVO_PROXY_REFUSED: { blame: 'proxy', summary: 'the proxy did not connect to the host' },
  AVO_PROXY_TIMEOUT: { blame: 'proxy', summary: 'the proxy did not connect to the host within the limit' },
  AVO_ABORTED: { blame: 'local', summary: 'the crawl itself ended the exchange' },
  AVO_REQUEST_INVALID: { blame: 'user', summary: 'the request cannot be written as HTTP' },
  AVO_SECRET_UNKNOWN: { blame: 'user', summary: 'the request needs a secret that this process was not given' },
  AVO_BROWSER_MISSING: { blame: 'user', summary: 'the page is to be rendered, and the crawl has no browser' },
  AVO_BROWSER_GONE: { blame: 'local', summary: 'the browser crashed, or was closed, while it had the page, or does not start' },
  AVO_BROWSER_PAGE: { blame: 'url', summary: 'the page crashed or blocked the browser' },
  AVO_HANDLER_THREW: { blame: 'user', summary: 'a handler threw' },
  AVO_HANDLER_TIMEOUT: { blame: 'user', summary: 'a handler did not finish within its deadline' },
  AVO_HANDLER_YIELDS: { blame: 'user', summary: 'a handler yielded more than the limit' },
  AVO_HANDLER_YIELD_INVALID: { blame: 'user', summary: 'a handler yielded what is neither an item nor a link' },
  AVO_HANDLER_LINK_INVALID: {
    blame: 'user',
    summary: 'a handler made a link with an invalid URL or option, or to an unknown handler',
  },
  AVO_HANDLER_FORM: { blame: 'user', summary: 'a handler filled in a form, field or button that the page does not have' },
  AVO_HANDLER_RETURN: {
    blame: 'user',
    summary: 'a handler returned no stream of items and links, or returned what it was to yield',
  },
  AVO_HANDLER_SCHEMA: { blame: 'user', summary: 'the schema of items threw, or answered with what is no result' },
  AVO_HANDLER_UNKNOWN: { blame: 'user', summary: 'the page is not requested: the spider does not have its handler' },
  AVO_PLUGIN_THREW: { blame: 'user', summary: 'a plugin threw in a hook' },
  AVO_PLUGIN_TIMEOUT: { blame: 'user', summary: 'a plugin did not finish within its deadline' },
  AVO_PLUGIN_CONFLICT: { blame: 'user', summary: 'two plugins want different values of one header, or different proxies' },
  AVO_POISON: { blame: 'url', summary: 'the process died three times while working on this page' },
} as const

/** The stable code of a failed exchange. */
export type FailureCode = keyof typeof FAILURES

/** Errors of a whole crawl: they end it, or keep it from starting. */
export const FATALS = {
  AVO_INTERNAL: 'a defect in Avocet itself',
  AVO_USAGE: 'the command line is wrong',
  AVO_CONFIG_INVALID: 'the configuration is wrong',
  AVO_CONFIG_CREDENTIALS: 'a credential is not there, cannot be used, or others can read its file',
  AVO_CONFIG_UNTRUSTED: 'a file that was found, and not named, may be the work of another user',
  AVO_SPIDER_LOAD: 'the spider file cannot be loaded',
  AVO_SPIDER_INVALID: 'the spider lacks something or has something unknown',
  AVO_SEED_INVALID: 'a seed is no request for an http(s) URL, or the seeds cannot be read',
  AVO_PLUGIN_INVALID:
    'a plugin has an unknown hook, no name or one that is taken, gave what is no answer, or remembers more than it may',
  AVO_PLUGIN_OPEN: 'a plugin threw while it opened',
  AVO_FRONTIER_FOREIGN: 'the file is not an Avocet store',
  AVO_FRONTIER_CORRUPT: 'the store is damaged',
  AVO_FRONTIER_VERSION: 'the store was made by another version of Avocet',
  AVO_FRONTIER_SPEC: 'the store identifies URLs or hosts by other rules than this crawl',
  AVO_FRONTIER_MISSING: 'there is no such store, or it was removed while it was used',
  AVO_FRONTIER_UNUSABLE: 'the store cannot be opened, read or written',
  AVO_FRONTIER_BUSY: 'another process holds the store',
  AVO_FRONTIER_IO: 'the disk failed to read or write the store',
  AVO_FRONTIER_FULL: 'the disk is full',
  AVO_FRONTIER_AWAY: 'the server of the store cannot be reached, or does not answer',
  AVO_FRONTIER_FAILED_OVER: 'another server took the place of that of the store, and may lack what was committed last',
  AVO_FRONTIER_CLOSED: 'the frontier was used before it was opened or after it was closed',
  AVO_OUTPUT_UNWRITABLE: 'the output file cannot be written, or another crawl or program has written it',
  AVO_OUTPUT_CLOSED: 'the reader of standard output has gone',
  AVO_SINK_OPEN: 'a sink cannot be opened as the crawl begins',
  AVO_SINK_BEHIND: 'a sink is behind at the end of a run: the next run continues',
  AVO_LISTEN_ADDRESS: 'the page or the metrics cannot be served at the address that was asked for',
  AVO_PROCESS_LOST: 'one of several processes of a crawl dies each time it is started',
  AVO_NODE_TOO_OLD: 'this Node.js is too old',
  AVO_CLOCK_STUCK: 'virtual time cannot advance, because something real is being waited for',
} as const

/** The stable code of an error that ends a crawl. */
export type FatalCode = keyof typeof FATALS

/**
 * An error with a stable code. Its message says what was expected, what came, and what to do; URLs in it lose user and
 * password.
 *
 * @example
 * ```ts
 * try {
 *   await frontier.open(spec, clock.now())
 * } catch (error) {
 *   if (error instanceof AvocetError && error.code === 'AVO_FRONTIER_FULL') console.error('make room, then run again')
 * }
 * ```
 */
export class AvocetError extends Error {
  override readonly name = 'AvocetError'
  readonly code: FatalCode | FailureCode
  /** What to do, where it names commands as `avocet …`: the end of the message. It has no words of users, so a tool can say how it is called. */
  readonly remedy?: string

  /** `remedy`: goes behind the message. */
  constructor(code: FatalCode | FailureCode, message: string, options: ErrorOptions & { readonly remedy?: string } = {}) {
    const { remedy, ...cause } = options
    super(withoutUserinfo(message) + (remedy === undefined ? '' : `; ${remedy}`), cause)
    this.code = code
    if (remedy !== undefined) this.remedy = remedy
  }
}

/** What a thrown value says, in one line: a handler may throw anything at all, even `undefined` or an object that throws when read. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return textOf(thrown.message) ?? textOf(thrown.name) ?? 'Error'
    if (typeof thrown === 'string') return thrown
    return JSON.stringify(thrown) ?? typeof thrown
  } catch {
    return 'a value that cannot be shown'
  }
}

/** A message is whatever somebody assigned to it. */
function textOf(member: unknown): string | undefined {
  if (member === '' || member === undefined || member === null) return undefined
  return typeof member === 'string' ? member : (JSON.stringify(member) ?? typeof member)
}

/** The same with the kind of error, as Node.js prints it: `TypeError: …`. */
export function kindAndMessageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error && thrown.message !== '') return `${thrown.name}: ${thrown.message}`
  } catch {
    // Its name cannot be read.
  }
  return messageOf(thrown)
}
