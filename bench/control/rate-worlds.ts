// The servers that a rate law must do well at, and what it got there: one function per world, one number per figure.
//
// Each world varies with its seed: capacity ± 20 %, latency ± 30 %, the phase in which a change meets the law, and all chance.
import type { RateLaw } from '../../packages/plugin-aimd/src/rate-law.ts'
import { bucketGate, OPEN_GATE, randomGate, steps, windowGate, type Capacity } from './gates.ts'
import { simulateRate, type RateWorld, type Trace } from './rate-simulation.ts'
import { seeded } from './seeded.ts'

/** What a client got in a stretch of time. */
export interface Share {
  /** Accepted, of what the server would have taken. */
  readonly utilisation: number
  /** Refused, of what was sent. */
  readonly refusedRatio: number
  /** Refusals in the worst minute. */
  readonly worstMinute: number
}

const MINUTE_MS = 60_000

/** Steady capacity: minutes 10 to 250. */
export function steady(
  law: RateLaw,
  seed: number,
  at: { readonly rps: number; readonly burst: number; readonly penalising?: boolean } & Partial<RateWorld>,
): Share {
  const random = seeded(seed)
  const { rps: nominalRps, burst, penalising = false, ...rest } = at
  const rps = vary(nominalRps, random)
  const [trace] = simulateRate({
    law,
    gate: bucketGate(() => rps, burst, { penalising }),
    durationMs: 250 * MINUTE_MS,
    random,
    ...rest,
  })
  return share(trace, { capacity: () => rps, fromMs: 10 * MINUTE_MS })
}

/** What the hour of C, C/2, C, 2C showed. */
export interface HourFigures extends Share {
  readonly halvingRefusals: number
  /** From the first refusal after the halving until the rate is at most 10 % above the new capacity; and from the halving itself. */
  readonly settledMs: number
  readonly settledAfterHalvingMs: number
  /** Until 10 s were accepted at 90 % of the doubled capacity, after each doubling. */
  readonly doubledMs: readonly number[]
  readonly coldStartMs: number
  readonly coldRefusals: number
}

/** An hour of C, C/2, C, 2C, cold start included; the moments of change vary by a minute. */
export function steppedHour(law: RateLaw, seed: number, burst: number): HourFigures {
  const random = seeded(seed)
  const c = vary(5, random)
  const [half, back, twice] = [15, 30, 45].map((minute) => Math.round((minute + random()) * 60) * 1_000)
  const changes = [half ?? 0, back ?? 0, twice ?? 0] as const
  const capacity = steps([0, c], [changes[0], c / 2], [changes[1], c], [changes[2], 2 * c])
  const [trace] = simulateRate({ law, gate: bucketGate(capacity, burst), durationMs: 60 * MINUTE_MS, random })
  if (trace === undefined) throw new Error('expected a trace')
  const halving = changes[0] / 1_000
  const felt = trace.refused.findIndex((refused, second) => second >= halving && refused > 0)
  const settled = trace.rps.findIndex((rps, second) => second >= Math.min(felt, halving + 60) && rps > 0 && rps <= (1.1 * c) / 2)
  return {
    ...share(trace, { capacity }),
    halvingRefusals: sum(trace.refused, halving, halving + 60),
    settledMs: (settled - felt + 1) * 1_000,
    settledAfterHalvingMs: (settled - halving + 1) * 1_000,
    doubledMs: [foundMs(trace, changes[1], c), foundMs(trace, changes[2], 2 * c)],
    coldStartMs: foundMs(trace, 0, c),
    coldRefusals: sum(trace.refused, 0, 120),
  }
}

/** Refusals that have nothing to do with the rate: this share of all requests. `burst` undefined = only maxRps bounds the rate. */
export function randomRefusals(law: RateLaw, seed: number, at: { readonly ratio: number; readonly burst?: number }): Share {
  const random = seeded(seed)
  const rps = vary(20, random)
  const inner = at.burst === undefined ? OPEN_GATE : bucketGate(() => rps, at.burst)
  const limits = at.burst === undefined ? { maxRps: rps } : {}
  const [trace] = simulateRate({ law, gate: randomGate(at.ratio, random, inner), durationMs: 100 * MINUTE_MS, random, limits })
  return share(trace, { capacity: () => rps, fromMs: 10 * MINUTE_MS })
}

/** Clients that know nothing of each other on one bucket of 10 requests per second, joining within ten minutes; the last third of 4 h. */
export function sharedBucket(
  law: RateLaw,
  seed: number,
  at: { readonly clients: number; readonly burst: number },
): Share & { readonly jain: number } {
  const random = seeded(seed)
  const rps = vary(10, random)
  const joinsAtMs = Array.from({ length: at.clients }, (_, client) => (client === 0 ? 0 : random() * 10 * MINUTE_MS))
  const traces = simulateRate({ law, gate: bucketGate(() => rps, at.burst), durationMs: 240 * MINUTE_MS, random, joinsAtMs })
  const shares = traces.map((trace) => share(trace, { capacity: () => rps, fromMs: 160 * MINUTE_MS }))
  const total = shares.reduce((all, { utilisation }) => all + utilisation, 0)
  const squares = shares.reduce((all, { utilisation }) => all + utilisation ** 2, 0)
  const worst = shares.reduce((a, b) => (a.refusedRatio > b.refusedRatio ? a : b))
  return { ...worst, utilisation: total, jain: total ** 2 / (at.clients * squares) }
}

/** A quota per window of the wall clock: 300 in 60 s. */
export function fixedWindow(law: RateLaw, seed: number, tells: boolean): Share {
  const random = seeded(seed)
  const gate = windowGate(300, MINUTE_MS)
  const told = tells ? { tells: (waitMs: number) => Math.ceil(waitMs / 1_000) * 1_000 } : {}
  const [trace] = simulateRate({ law, gate, durationMs: 250 * MINUTE_MS, random, ...told })
  return share(trace, { capacity: () => 5, fromMs: 10 * MINUTE_MS })
}

/** Capacity that swings by 30 % every ten minutes. */
export function sine(law: RateLaw, seed: number, burst: number): Share {
  const random = seeded(seed)
  const rps = vary(5, random)
  const phase = random() * 2 * Math.PI
  const capacity: Capacity = (sinceMs) => rps * (1 + 0.3 * Math.sin(phase + (2 * Math.PI * sinceMs) / (10 * MINUTE_MS)))
  const [trace] = simulateRate({ law, gate: bucketGate(capacity, burst), durationMs: 130 * MINUTE_MS, random })
  return share(trace, { capacity, fromMs: 10 * MINUTE_MS })
}

/** Nothing is taken for a minute, after twenty good ones. The share is that of the hour, the minute left out of what could be had. */
export function blackout(law: RateLaw, seed: number, burst: number): Share & { readonly backMs: number } {
  const random = seeded(seed)
  const rps = vary(5, random)
  const fromMs = 20 * MINUTE_MS + Math.round(random() * 60) * 1_000
  const capacity = steps([0, rps], [fromMs, 0], [fromMs + MINUTE_MS, rps])
  const [trace] = simulateRate({ law, gate: bucketGate(capacity, burst), durationMs: 40 * MINUTE_MS, random })
  if (trace === undefined) throw new Error('expected a trace')
  return { ...share(trace, { capacity, fromMs: 10 * MINUTE_MS }), backMs: foundMs(trace, fromMs + MINUTE_MS, rps) }
}

/** Eighty hosts of log-spread capacity, half of them with Retry-After: 1; the sum of what they gave. */
export function manyHosts(
  law: RateLaw,
  seed: number,
  at: { readonly scale: number; readonly fromMs: number; readonly toMs: number },
): Share {
  const random = seeded(seed)
  let [accepted, refused, capacity, worstMinute] = [0, 0, 0, 0]
  for (let host = 0; host < 80; host++) {
    const rps = at.scale * 50 ** ((host + random()) / 80)
    const told = host % 2 === 0 ? { tells: () => 1_000 } : {}
    const latencyMs = 20 + 480 * random()
    const gate = bucketGate(() => rps, Math.max(2, rps))
    const [trace] = simulateRate({ law, gate, durationMs: at.toMs, random, latencyMs, jitterRatio: 0.5, ...told })
    if (trace === undefined) continue
    accepted += sum(trace.accepted, at.fromMs / 1_000)
    refused += sum(trace.refused, at.fromMs / 1_000)
    capacity += (rps * (at.toMs - at.fromMs)) / 1_000
    worstMinute = Math.max(worstMinute, sum(trace.refused, 0))
  }
  return { utilisation: accepted / capacity, refusedRatio: refused / (accepted + refused), worstMinute }
}

function vary(rps: number, random: () => number): number {
  return rps * (0.8 + 0.4 * random())
}

function share(trace: Trace | undefined, over: { readonly capacity: Capacity; readonly fromMs?: number }): Share {
  if (trace === undefined) throw new Error('expected a trace')
  const from = (over.fromMs ?? 0) / 1_000
  const accepted = sum(trace.accepted, from)
  const refused = sum(trace.refused, from)
  let could = 0
  for (let second = from; second < trace.accepted.length; second++) could += over.capacity(second * 1_000 + 500)
  return {
    utilisation: accepted / could,
    refusedRatio: refused / Math.max(1, accepted + refused),
    worstMinute: worst(trace.refused, from),
  }
}

/** Time from `fromMs` until the ten seconds before held 90 % of `rps`; at most until the trace ends. */
function foundMs(trace: Trace, fromMs: number, rps: number): number {
  const from = fromMs / 1_000
  for (let end = from + 10; end < trace.accepted.length; end++)
    if (sum(trace.accepted, end - 10, end) >= 9 * rps) return (end - from) * 1_000
  return trace.accepted.length * 1_000 - fromMs
}

function worst(counts: Uint32Array, from: number): number {
  let [most, inWindow] = [0, 0]
  for (let second = from; second < counts.length; second++) {
    inWindow += (counts[second] ?? 0) - (second - 60 >= from ? (counts[second - 60] ?? 0) : 0)
    most = Math.max(most, inWindow)
  }
  return most
}

function sum(counts: Uint32Array, from: number, to: number = counts.length): number {
  let total = 0
  for (let second = from; second < to; second++) total += counts[second] ?? 0
  return total
}
