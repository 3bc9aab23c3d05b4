// The law of the plugin: a pure function, without clock, dice or memory, so that a table tests it.

/** Epoch ms until which a host rests that took `tookMs` for its answer: `factor` times as long. */
export function restsUntil(answeredAt: number, tookMs: number, factor: number): number {
  return answeredAt + factor * tookMs
}
