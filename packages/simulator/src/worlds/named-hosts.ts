// Hosts in a row: one description, names with numbers.
import type { HostSpec } from '../site-model/host-spec.ts'

/** `well-00.test`, `well-01.test` and so on. */
export function named(word: string, count: number, spec: Omit<HostSpec, 'name'>): HostSpec[] {
  return Array.from({ length: count }, (_, n) => ({ ...spec, name: nameOf(word, n, 2) }))
}

/** `well-007.test`: `n` with at least `digits` digits. */
export function nameOf(word: string, n: number, digits: number): string {
  return `${word}-${String(n).padStart(digits, '0')}.test`
}

/** The point of the way from `from` to `to`, both above 0, that `share` (0 to 1) of the logarithm makes. */
export function logSpread(from: number, to: number, share: number): number {
  return from * (to / from) ** share
}

/** `value` with three digits: descriptions are to be read. */
export function readable(value: number): number {
  return Number(value.toPrecision(3))
}
