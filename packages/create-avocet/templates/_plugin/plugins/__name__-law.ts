// The law of the plugin: a pure function without clock, randomness or memory, so you can test it with a table.

/** Epoch ms until which a host rests that took `tookMs` for its answer: `factor` times as long. */
export function restsUntil(answeredAt: number, tookMs: number, factor: number): number {
  return answeredAt + factor * tookMs
}
