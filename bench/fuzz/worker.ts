// Tries properties round after round, each with the next seed, and tells what it found. A worker, so that an input that never ends can be ended.
import { parentPort, workerData } from 'node:worker_threads'
import type { Tried } from './property.ts'
import { ALL_PROPERTIES } from './table.ts'

/** What it is told. */
export interface WorkOrder {
  readonly names: readonly string[]
  readonly seed: number
  /** Inputs of a round, as a multiple of each property's own number. */
  readonly share: number
  readonly path?: string
  /** Wall-clock, epoch ms: no round begins later. */
  readonly until: number
  /** Two counters: the property that is tried, and its input. */
  readonly beat: SharedArrayBuffer
}

/** What it tells. */
export interface Told {
  readonly property: string
  readonly seed: number
  readonly tried: Tried
}

const { names, seed, share, path, until, beat } = workerData as WorkOrder
const counters = new Int32Array(beat)
const left = new Set(names)
for (let round = 0; left.size > 0 && (round === 0 || Date.now() < until); round++) {
  for (const [at, property] of ALL_PROPERTIES.entries()) {
    if (!left.has(property.name)) continue
    Atomics.store(counters, 0, at)
    Atomics.store(counters, 1, 0)
    const draw = { seed: (seed + round) | 0, runs: Math.ceil(property.runs * share), ...(path !== undefined && { path }) }
    const tried = await property.check({ ...draw, began: (index) => Atomics.store(counters, 1, index) })
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of Node's has none
    parentPort?.postMessage({ property: property.name, seed: draw.seed, tried } satisfies Told)
    // One finding of each is enough: the next rounds would tell it again.
    if (tried.finding !== undefined || path !== undefined) left.delete(property.name)
    if (Date.now() > until) break
  }
}
