// Tells whether a body is the one that was seen before, in 16 characters instead of the body.
import { hash } from 'node:crypto'

/** The first 64 bits of SHA-1 over the body, in hexadecimal: it is compared with one other body of the same page, so 64 bits are plenty. */
export function bodyHashOf(body: Uint8Array): string {
  return hash('sha1', body, 'hex').slice(0, 16)
}
