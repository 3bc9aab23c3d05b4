// Certificates that a hostile web makes: each has the one fault that its kind names, and a good one has none.
import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Authority, type CertificateKind } from '../hostile/certificates.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const authority = new Authority(NOW)
const issuer = new X509Certificate(authority.ca)

const read = (kind: CertificateKind): Record<string, unknown> => {
  const cert = new X509Certificate(authority.certificate(kind, '127.42.0.7').cert)
  return {
    trusted: cert.verify(issuer.publicKey),
    now: Date.parse(cert.validFrom) <= NOW && NOW <= Date.parse(cert.validTo),
    own: cert.checkIP('127.42.0.7') !== undefined,
  }
}

describe('a certificate', () => {
  it.each<[CertificateKind, object]>([
    ['good', { trusted: true, now: true, own: true }],
    ['long-chain', { trusted: true, now: true, own: true }],
    ['sha1', { trusted: true, now: true, own: true }],
    ['expired', { trusted: true, now: false, own: true }],
    ['not-yet', { trusted: true, now: false, own: true }],
    ['wrong-name', { trusted: true, now: true, own: false }],
    ['self-signed', { trusted: false, now: true, own: true }],
    ['unknown-issuer', { trusted: false, now: true, own: true }],
  ])('of the kind %s', (kind, expected) => {
    expect(read(kind)).toEqual(expected)
  })

  it('of a name is for that name', () => {
    const cert = new X509Certificate(authority.certificate('good', 'row.hostile.test').cert)
    expect(cert.checkHost('row.hostile.test')).toBe('row.hostile.test')
  })

  it('of an authority says that it is one', () => {
    expect(issuer.ca).toBe(true)
  })
})
