// What it means to resolve a host name, and the system's way to do it.
import { lookup as systemLookup, type LookupAddress } from 'node:dns'

/** What a name resolved to: addresses in the order to try them and how long they may be used, or why there are none. */
export type Resolution =
  | { readonly addresses: readonly LookupAddress[]; readonly ttlMs?: number; readonly error?: undefined }
  | { readonly error: Error }

/** Asks for all addresses of a name. */
export type Resolve = (hostname: string, answer: (resolution: Resolution) => void) => void

/** The system's resolver (`getaddrinfo`: hosts file, search domains, both families). It blocks one of four threads until it answers. */
export const systemResolve: Resolve = (hostname, answer) => {
  systemLookup(hostname, { all: true }, (error, addresses) => {
    answer(error === null ? { addresses } : { error })
  })
}
