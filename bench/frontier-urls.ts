// The URLs of the frontier's bench: of 72 bytes over 800 hosts, clustered as links are, in runs of a dozen to one host.
import { hash } from 'node:crypto'
import type { Fingerprint, NewRequest } from '@avocet/core/store'

const HOSTS = 800

/** Hosts of runs by chance: some have twice as many URLs as others. */
const SCATTERED = (run: number): number => (Math.imul(run, 2_654_435_761) >>> 8) % HOSTS

/** Each host has a run of every 800; those of neighbours are far apart. */
export const EVENLY = (run: number): number => (run * 317) % HOSTS

/** `count` URLs of 72 bytes from number `from` on. `hostOf` says which host has a run of twelve. */
export function range(from: number, count: number, hostOf: (run: number) => number = SCATTERED): NewRequest[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index
    const host = hostOf(Math.floor(n / 12))
    const hostKey = `www.host-${String(host).padStart(3, '0')}.example`
    const url = `https://${hostKey}/articles/2026/a-title-of-some-words-${String(n).padStart(8, '0')}`
    const fingerprint = hash('sha1', url, 'binary').slice(0, 16) as Fingerprint
    return { fingerprint, hostKey, url, handler: 'start', depth: 0, priority: 0 }
  })
}
