// One server and one or more clients, event by event on virtual time: the real rate law inside the real pace, as the plugin binds them.
//
// A client books when its pace allows, and sends at once; the gate decides at that moment; the answer arrives after a latency. The first refusal of an
// epoch reaches the law, holds the client until what is in flight has come back, and drains its pace. Everything is counted by the second.
import {
  withBooking,
  FRESH_PACE,
  heldUntil,
  isNews,
  pausedTo,
  paceAt,
  refusedAt,
  type HostPace,
} from '../../packages/plugin-aimd/src/pace.ts'
import type { RateLaw, RateLimits, RateState } from '../../packages/plugin-aimd/src/rate-law.ts'
import type { Gate } from './gates.ts'

/** What is simulated. */
export interface RateWorld {
  readonly law: RateLaw
  readonly gate: Gate
  readonly durationMs: number
  readonly random: () => number
  /** Median time to answer; each answer takes this times 1 ± `jitterRatio`. Default 300, ± 0.3. */
  readonly latencyMs?: number
  readonly jitterRatio?: number
  /** Time to refuse. Default: as to answer. */
  readonly refusalMs?: number
  /** What refusals say in Retry-After, given how long the gate would wait. Default: nothing. */
  readonly tells?: (waitMs: number) => number
  /** When each client begins. Default: one client, at once. */
  readonly joinsAtMs?: readonly number[]
  readonly limits?: Partial<RateLimits>
}

/** What one client got, by the second since the start. */
export interface Trace {
  readonly accepted: Uint32Array
  readonly refused: Uint32Array
  /** The rate of the law at the end of each second; 0 = no event in it. */
  readonly rps: Float64Array
  /** State at the end. */
  readonly state: RateState
}

interface Answer {
  readonly at: number
  readonly seq: number
  readonly latencyMs: number
  /** 0 = accepted; else what the gate said. */
  readonly waitMs: number
}

interface Client extends Trace {
  pace: HostPace
  state: RateState
  seq: number
  /** In order of arrival. */
  readonly answers: Answer[]
  nextAt: number
}

/** The plugin's clock is epoch ms; the gate's starts at 0. */
const EPOCH_MS = 1_767_225_600_000

/** Runs it. */
export function simulateRate(world: RateWorld): readonly Trace[] {
  const limits: RateLimits = { startRps: 1, minRps: 0.02, maxRps: 10_000, ...world.limits }
  const clients = (world.joinsAtMs ?? [0]).map((joinsAtMs) => newClient(world, limits, joinsAtMs))
  const end = EPOCH_MS + world.durationMs
  for (;;) {
    const { client, now } = nextEvent(clients)
    if (now >= end) return clients
    if (client.answers[0]?.at === now) answered(client, now, { world, limits })
    else sent(client, now, world)
    const { pace, state, answers } = client
    client.nextAt = Math.max(
      now,
      pace.pausedUntil,
      heldUntil(pace, answers.length, now),
      paceAt(pace, state.rps, world.law.burst),
    )
    client.rps[Math.floor((now - EPOCH_MS) / 1_000)] = state.rps
  }
}

function newClient({ law, durationMs }: RateWorld, limits: RateLimits, joinsAtMs: number): Client {
  const seconds = Math.ceil(durationMs / 1_000)
  return {
    accepted: new Uint32Array(seconds),
    refused: new Uint32Array(seconds),
    rps: new Float64Array(seconds),
    pace: FRESH_PACE,
    state: law.fresh(limits),
    seq: 0,
    answers: [],
    nextAt: EPOCH_MS + joinsAtMs,
  }
}

/** The earliest thing to happen; answers before sends, as the crawl sees them. */
function nextEvent(clients: readonly Client[]): { readonly client: Client; readonly now: number } {
  let [first] = clients
  let now = Infinity
  for (const client of clients) {
    const at = Math.min(client.answers[0]?.at ?? Infinity, client.nextAt)
    if (at < now) [first, now] = [client, at]
  }
  if (first === undefined) throw new Error('expected at least one client')
  return { client: first, now }
}

function sent(
  client: Client,
  now: number,
  { law, gate, random, latencyMs = 300, jitterRatio = 0.3, refusalMs }: RateWorld,
): void {
  client.pace = withBooking(client.pace, { now, rps: client.state.rps, burst: law.burst })
  const waitMs = gate.take(now - EPOCH_MS)
  const counted = waitMs === 0 ? client.accepted : client.refused
  const second = Math.floor((now - EPOCH_MS) / 1_000)
  counted[second] = (counted[second] ?? 0) + 1
  const median = waitMs > 0 ? (refusalMs ?? latencyMs) : latencyMs
  const tookMs = median * (1 + jitterRatio * (2 * random() - 1))
  insert(client.answers, { at: now + tookMs, seq: ++client.seq, latencyMs: tookMs, waitMs })
}

function answered(
  client: Client,
  now: number,
  { world, limits }: { readonly world: RateWorld; readonly limits: RateLimits },
): void {
  const { law, random, tells } = world
  const answer = client.answers.shift()
  if (answer === undefined) return
  const inFlight = client.answers.length
  const counts = isNews(client.pace, answer.seq)
  const firstByteMs = answer.latencyMs
  if (answer.waitMs === 0) {
    client.state = law.accepted(client.state, { now, counts, firstByteMs, durationMs: firstByteMs, inFlight }, limits)
    return
  }
  if (tells !== undefined) client.pace = pausedTo(client.pace, now + tells(answer.waitMs))
  if (!counts) return
  client.pace = refusedAt(client.pace, { now, lastSeq: client.seq })
  client.state = law.refused(
    client.state,
    { now, saysWhen: tells !== undefined, firstByteMs, inFlight, chance: random() },
    limits,
  )
  const { restMs = 0 } = client.state
  if (restMs > 0) client.pace = pausedTo(client.pace, now + restMs)
}

function insert(answers: Answer[], answer: Answer): void {
  let index = answers.length
  while (index > 0 && (answers[index - 1]?.at ?? 0) > answer.at) index--
  if (index === answers.length) answers.push(answer)
  else answers.splice(index, 0, answer)
}
