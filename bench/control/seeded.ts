// Chance that is the same in every run: mulberry32 (Tommy Ettinger, public domain).

/** Numbers in [0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = (seed * 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** 1 to `count`. */
export function seedsTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n + 1)
}
