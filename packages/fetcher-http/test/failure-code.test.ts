// What the errors of Node and undici mean. Those that a real server can cause are also met in hostile-servers.test.ts.
import { AvocetError } from '@avocet/core'
import type { Phase } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { failureCodeOf } from '../src/failure-code.ts'

function error(code: string | undefined, details: { message?: string; name?: string; address?: string } = {}): Error {
  return Object.assign(new Error(details.message ?? code ?? ''), { code, ...details })
}

describe('failure code', () => {
  it.each([
    ['ENOTFOUND', 'dns', 'AVO_DNS_NOT_FOUND'],
    ['ENODATA', 'dns', 'AVO_DNS_NOT_FOUND'],
    ['EAI_AGAIN', 'dns', 'AVO_DNS_FAILED'],
    ['ESERVFAIL', 'dns', 'AVO_DNS_FAILED'],
    ['ECONNREFUSED', 'connect', 'AVO_CONNECT_REFUSED'],
    ['ETIMEDOUT', 'connect', 'AVO_CONNECT_TIMEOUT'],
    ['EHOSTUNREACH', 'connect', 'AVO_UNREACHABLE'],
    ['ECONNRESET', 'connect', 'AVO_CONNECT_FAILED'],
    ['EACCES', 'connect', 'AVO_CONNECT_FAILED'],
    ['EMFILE', 'connect', 'AVO_LOCAL_RESOURCES'],
    ['ENFILE', 'dns', 'AVO_LOCAL_RESOURCES'],
    ['ENOBUFS', 'body', 'AVO_LOCAL_RESOURCES'],
    ['EADDRNOTAVAIL', 'connect', 'AVO_LOCAL_RESOURCES'],
    ['ENETDOWN', 'connect', 'AVO_NETWORK_DOWN'],
    ['ENETUNREACH', 'connect', 'AVO_UNREACHABLE'],
    ['ENETUNREACH', 'dns', 'AVO_DNS_FAILED'],
    ['CERT_HAS_EXPIRED', 'tls', 'AVO_TLS_CERTIFICATE'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'AVO_TLS_CERTIFICATE'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'AVO_TLS_INTERMEDIATE'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', 'AVO_TLS_CERTIFICATE'],
    ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'tls', 'AVO_TLS_HTTP2_ONLY'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'AVO_TLS_CERTIFICATE'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'AVO_TLS_FAILED'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls', 'AVO_TLS_FAILED'],
    ['ECONNRESET', 'tls', 'AVO_TLS_FAILED'],
    ['EPROTO', 'tls', 'AVO_TLS_FAILED'],
    ['ECONNRESET', 'firstByte', 'AVO_RESET'],
    ['EPIPE', 'firstByte', 'AVO_RESET'],
    ['ECONNRESET', 'body', 'AVO_RESET'],
    ['UND_ERR_SOCKET', 'firstByte', 'AVO_CLOSED_EARLY'],
    ['UND_ERR_SOCKET', 'body', 'AVO_TRUNCATED'],
    ['UND_ERR_HEADERS_OVERFLOW', 'firstByte', 'AVO_HEADERS_TOO_LARGE'],
    ['UND_ERR_HEADERS_OVERFLOW', 'body', 'AVO_HEADERS_TOO_LARGE'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'firstByte', 'AVO_PROTOCOL'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'body', 'AVO_TRUNCATED'],
    ['UND_ERR_INVALID_ARG', 'send', 'AVO_REQUEST_INVALID'],
    ['UND_ERR_NOT_SUPPORTED', 'dns', 'AVO_REQUEST_INVALID'],
    ['UND_ERR_DESTROYED', 'connect', 'AVO_ABORTED'],
    [undefined, 'firstByte', 'AVO_CLOSED_EARLY'],
  ] as const)('of %s in phase %s is %s', (code, phase: Phase, expected) => {
    expect(failureCodeOf(error(code), { phase, stale: false })).toBe(expected)
  })

  it('knows parser errors by their name, for some have no code', () => {
    const parser = (code?: string): Error => error(code, { name: 'HTTPParserError' })
    expect(failureCodeOf(parser(), { phase: 'firstByte', stale: false })).toBe('AVO_PROTOCOL')
    expect(failureCodeOf(parser('HPE_INVALID_CHUNK_SIZE'), { phase: 'body', stale: false })).toBe('AVO_PROTOCOL')
    expect(failureCodeOf(parser('HPE_INVALID_EOF_STATE'), { phase: 'body', stale: false })).toBe('AVO_TRUNCATED')
  })

  it('takes a close on a kept connection for stale, but not a bad answer', () => {
    const stale = { phase: 'firstByte', stale: true } as const
    expect(failureCodeOf(error('UND_ERR_SOCKET', { message: 'other side closed' }), stale)).toBe('AVO_STALE_SOCKET')
    expect(failureCodeOf(error('ECONNRESET'), stale)).toBe('AVO_STALE_SOCKET')
    expect(failureCodeOf(error('UND_ERR_SOCKET', { message: 'bad response' }), stale)).toBe('AVO_PROTOCOL')
    expect(failureCodeOf(error('UND_ERR_HEADERS_OVERFLOW'), stale)).toBe('AVO_HEADERS_TOO_LARGE')
  })

  it('blames one destination for being unreachable, and more weakly one that has IPv6 addresses only', () => {
    const v6 = error('ENETUNREACH', { address: '2606:4700::1111' })
    const v4 = error('ENETUNREACH', { address: '192.0.2.1' })
    const place = { phase: 'connect', stale: false } as const
    expect(failureCodeOf(v6, place)).toBe('AVO_CONNECT_FAILED')
    expect(failureCodeOf(new AggregateError([v6, error('ECONNREFUSED', { address: '192.0.2.1' })]), place)).toBe(
      'AVO_CONNECT_REFUSED',
    )
    expect(failureCodeOf(new AggregateError([v6, v4]), place)).toBe('AVO_UNREACHABLE')
  })

  it('keeps the code of our own errors', () => {
    expect(failureCodeOf(new AvocetError('AVO_ADDRESS_REFUSED', ''), { phase: 'dns', stale: false })).toBe('AVO_ADDRESS_REFUSED')
  })

  it.each([undefined, null, 'text', 7])('survives %s', (thrown) => {
    expect(failureCodeOf(thrown, { phase: 'connect', stale: false })).toBe('AVO_CONNECT_FAILED')
  })
})
