// A capped set of fingerprints that the store is known to have: a hit is known, a miss says nothing.
//
// Two generations: new ones go into the younger; when that is full it becomes the older, and the older one goes. What is asked for often stays.
import type { Fingerprint } from '@avocet/core/store'

/** The cache. */
export class KnownFingerprints {
  readonly #most: number
  #young = new Set<Fingerprint>()
  #old = new Set<Fingerprint>()

  /** `entries`: so many are kept, at most; each takes some 60 bytes. */
  constructor(entries: number) {
    this.#most = Math.ceil(entries / 2)
  }

  has(fingerprint: Fingerprint): boolean {
    if (this.#young.has(fingerprint)) return true
    if (!this.#old.has(fingerprint)) return false
    this.add(fingerprint)
    return true
  }

  clear(): void {
    this.#young = new Set()
    this.#old = new Set()
  }

  add(fingerprint: Fingerprint): void {
    if (this.#most < 1) return
    if (this.#young.size >= this.#most) {
      this.#old = this.#young
      this.#young = new Set()
    }
    this.#young.add(fingerprint)
  }
}

// Fingerprints as PostgreSQL has them: 16 bytes, as a uuid.

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
