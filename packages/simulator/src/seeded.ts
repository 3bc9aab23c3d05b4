// Chance that has no order: a number depends on the seed and on what it is for, never on how many were drawn before it.
//
// So two hosts, or two requests at one host, cannot disturb each other's luck, and a site is the same whichever page is asked first.
// FNV-1a over the words, then the finaliser of MurmurHash3 over the number: both public domain, 32 bits, no state.

/** The `n`-th number in [0, 1) of one source of chance. */
export type Chance = (n: number) => number

/**
 * A source of chance named by `words`.
 *
 * @example
 * ```ts
 * const chance = seeded('seed', 'shop-007.test', 'latency')
 * chance(3) === chance(3) // true, for ever
 * ```
 */
export function seeded(...words: readonly (string | number)[]): Chance {
  const key = fnv1a(words.join('\u0000'))
  return (n) => scramble(key ^ scramble(Math.imul(n + 1, 0x9e3779b1))) / 2 ** 32
}

/** One of `list`, by the `n`-th number of `chance`. */
export function pick<T>(list: readonly T[], chance: Chance, n: number): T {
  const chosen = list[Math.floor(chance(n) * list.length)]
  if (chosen === undefined) throw new RangeError('expected something to pick from, got an empty list')
  return chosen
}

/** `list` in a random order that depends on `seed` alone. */
export function shuffled<T>(list: readonly T[], seed: string): T[] {
  const chance = seeded(seed, 'shuffle')
  return list
    .map((entry, n) => ({ entry, key: chance(n) }))
    .sort((a, b) => a.key - b.key)
    .map(({ entry }) => entry)
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193)
  return hash
}

function scramble(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
