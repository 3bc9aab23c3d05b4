// Ways in which one page of a store can be damaged.
import { seeded } from '@avocet/simulator'
import { PAGE_BYTES } from './wal.ts'

/** Changes page `page`, counted from 0, of `bytes`. */
type Damage = (bytes: Buffer, page: number, chance: () => number) => void

/** By name. */
export const DAMAGES = {
  zeroed: (bytes, page) => void bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES),
  garbage: (bytes, page, chance) => {
    for (let at = page * PAGE_BYTES; at < (page + 1) * PAGE_BYTES; at++) bytes[at] = Math.floor(chance() * 256)
  },
  /** The last write of it reached the disk in part. */
  torn: (bytes, page) => void bytes.fill(0, (page + 0.5) * PAGE_BYTES, (page + 1) * PAGE_BYTES),
  /** One sector is of nobody. */
  sector: (bytes, page, chance) => {
    const from = page * PAGE_BYTES + 512 * Math.floor((chance() * PAGE_BYTES) / 512)
    for (let at = from; at < from + 512; at++) bytes[at] = Math.floor(chance() * 256)
  },
  flipped: (bytes, page, chance) => {
    const at = page * PAGE_BYTES + Math.floor(chance() * PAGE_BYTES)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(chance() * 8))
  },
  /** Two pages are each in the place of the other. */
  swapped: (bytes, page, chance) => {
    const other = Math.floor(chance() * (bytes.length / PAGE_BYTES))
    const kept = Buffer.from(bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES))
    bytes.copy(bytes, page * PAGE_BYTES, other * PAGE_BYTES, (other + 1) * PAGE_BYTES)
    kept.copy(bytes, other * PAGE_BYTES)
  },
} as const satisfies Readonly<Record<string, Damage>>

/** A way to damage a page. */
export type DamageKind = keyof typeof DAMAGES

/** `sound` with one page damaged. */
export function damaged(
  sound: Buffer,
  { kind, page, seed }: { readonly kind: DamageKind; readonly page: number; readonly seed: string },
): Buffer {
  const bytes = Buffer.from(sound)
  const next = seeded('page', seed, kind, page)
  let n = 0
  const damage: Damage = DAMAGES[kind]
  damage(bytes, page, () => next(n++))
  return bytes
}
