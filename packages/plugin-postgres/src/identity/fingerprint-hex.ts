// Fingerprints as PostgreSQL has them: 16 bytes, as a uuid.
import type { Fingerprint } from '@avocet/core/store'

const BYTES: Buffer = Buffer.alloc(16)

/** 32 hexadecimal digits, which are a uuid. */
export function hexOf(fingerprint: Fingerprint): string {
  BYTES.write(fingerprint, 'latin1')
  return BYTES.toString('hex')
}

/** The same back, from a uuid with or without hyphens. */
export function fingerprintIn(uuid: string): Fingerprint {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('latin1') as Fingerprint
}
