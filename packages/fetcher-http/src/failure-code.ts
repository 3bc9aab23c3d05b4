// Says what a socket's, TLS's or parser's error means for a crawl: a pure function over tables, tested against the pinned undici.
import { type FailureCode, FAILURES } from '@avocet/core/plugin'
import type { Phase } from '@avocet/core/store'

/** Where the error struck. */
export interface FailurePlace {
  readonly phase: Phase
  /** The connection had served another exchange before, and closed right after this one was written. */
  readonly stale: boolean
}

/** Our own trouble, in any phase. `UND_ERR_…` are undici's. */
const OURS: ReadonlyMap<string, FailureCode> = new Map([
  ['EMFILE', 'AVO_LOCAL_RESOURCES'],
  ['ENFILE', 'AVO_LOCAL_RESOURCES'],
  ['ENOBUFS', 'AVO_LOCAL_RESOURCES'],
  ['ENOMEM', 'AVO_LOCAL_RESOURCES'],
  ['EADDRNOTAVAIL', 'AVO_LOCAL_RESOURCES'],
  ['EADDRINUSE', 'AVO_LOCAL_RESOURCES'],
  ['ENETDOWN', 'AVO_NETWORK_DOWN'],
  ['UND_ERR_DESTROYED', 'AVO_ABORTED'],
  ['UND_ERR_INVALID_ARG', 'AVO_REQUEST_INVALID'],
  ['UND_ERR_NOT_SUPPORTED', 'AVO_REQUEST_INVALID'],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'AVO_REQUEST_INVALID'],
])

const DNS: ReadonlyMap<string, FailureCode> = new Map([
  ['ENOTFOUND', 'AVO_DNS_NOT_FOUND'],
  ['ENODATA', 'AVO_DNS_NOT_FOUND'],
  ['EBADNAME', 'AVO_DNS_NOT_FOUND'],
])

const CONNECT: ReadonlyMap<string, FailureCode> = new Map([
  ['ECONNREFUSED', 'AVO_CONNECT_REFUSED'],
  // One destination says it, or a router on the way: whether the network is ours to blame is for those to say who see all hosts.
  ['ENETUNREACH', 'AVO_UNREACHABLE'],
  ['EHOSTUNREACH', 'AVO_UNREACHABLE'],
  ['ETIMEDOUT', 'AVO_CONNECT_TIMEOUT'],
  ['UND_ERR_CONNECT_TIMEOUT', 'AVO_CONNECT_TIMEOUT'],
])

/** Once the connection is established. */
const ANSWER: ReadonlyMap<string, FailureCode> = new Map([
  ['ECONNRESET', 'AVO_RESET'],
  ['ECONNABORTED', 'AVO_RESET'],
  ['EPIPE', 'AVO_RESET'],
  ['ETIMEDOUT', 'AVO_RESET'],
  ['UND_ERR_HEADERS_OVERFLOW', 'AVO_HEADERS_TOO_LARGE'],
])

/** OpenSSL's verdicts on certificates that do not begin with `CERT_` (node:tls, "X509 certificate error codes"). */
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERROR_IN_CERT_|SUBJECT_ISSUER_MISMATCH)/

const TLS: ReadonlyMap<string, FailureCode> = new Map([
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'AVO_TLS_HTTP2_ONLY'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'AVO_TLS_INTERMEDIATE'],
])

/**
 * The failure code of an error that ended an exchange in `place`.
 *
 * @example
 * ```ts
 * failureCodeOf(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), { phase: 'firstByte', stale: false }) // AVO_RESET
 * ```
 */
export function failureCodeOf(thrown: unknown, place: FailurePlace): FailureCode {
  const error = systemErrorOf(thrown)
  const code = error.code ?? ''
  if (Object.hasOwn(FAILURES, code)) return code as FailureCode
  const ours = OURS.get(code)
  // A host with IPv6 addresses only, seen from a machine without IPv6, says nothing about our network.
  if (
    error.address?.includes(':') === true &&
    place.phase === 'connect' &&
    (ours !== undefined || CONNECT.get(code) === 'AVO_UNREACHABLE')
  )
    return 'AVO_CONNECT_FAILED'
  if (ours !== undefined) return ours

  if (place.phase === 'dns') return DNS.get(code) ?? 'AVO_DNS_FAILED'
  if (place.phase === 'connect') return CONNECT.get(code) ?? 'AVO_CONNECT_FAILED'
  if (place.phase === 'tls') return TLS.get(code) ?? (CERTIFICATE.test(code) ? 'AVO_TLS_CERTIFICATE' : 'AVO_TLS_FAILED')
  return answerCodeOf(error, place)
}

function answerCodeOf(error: SystemError, place: FailurePlace): FailureCode {
  const inBody = place.phase === 'body'
  // undici's parser errors are recognised by name: some of them have no code.
  if (error.name === 'HTTPParserError') return error.code === 'HPE_INVALID_EOF_STATE' && inBody ? 'AVO_TRUNCATED' : 'AVO_PROTOCOL'
  if (error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return inBody ? 'AVO_TRUNCATED' : 'AVO_PROTOCOL'
  // undici's words for an unrequested 1xx or 101.
  if (error.message === 'bad response' || error.message === 'bad upgrade') return 'AVO_PROTOCOL'
  const known = ANSWER.get(error.code ?? '')
  if (known !== undefined && known !== 'AVO_RESET') return known
  if (place.stale) return 'AVO_STALE_SOCKET'
  return known ?? (inBody ? 'AVO_TRUNCATED' : 'AVO_CLOSED_EARLY')
}

/** The fields by which Node and undici tell errors apart. */
interface SystemError {
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly address?: string
}

/** The error that says most: of several an IPv4 one, for it says more about the host than a missing IPv6 route. */
export function systemErrorOf(thrown: unknown): SystemError {
  const error: SystemError = typeof thrown === 'object' && thrown !== null ? thrown : {}
  if (!(thrown instanceof AggregateError)) return error
  const all = thrown.errors as readonly SystemError[]
  return all.find((error) => error.address?.includes(':') !== true) ?? all[0] ?? error
}
