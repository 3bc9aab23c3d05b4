// What befalls a run, and when: from its seed alone.
import { pick, seeded, type Chance } from '@avocet/simulator'
import type { FaultRates } from '@avocet/stress/postgres'
import type { WorkersPlan } from './workers.ts'

/** What befalls a process. `ms`: until it is started again, or goes on. */
export type WorkerFault = { readonly kind: 'kill' | 'stop'; readonly place: number; readonly ms: number }

/** What befalls the server, or the way to it. `ms`: how long. */
export type ServerFault = {
  readonly kind: 'server killed' | 'server frozen' | 'network silent' | 'network down'
  readonly ms: number
}

/** From the first request of the run on, in ms of the machine. */
export interface Moment<Fault> {
  readonly atMs: number
  readonly fault: Fault
}

/** A run, as its seed has it. */
export interface FaultPlan {
  readonly seed: string
  readonly machines: WorkersPlan['machines']
  readonly workerFaults: readonly Moment<WorkerFault>[]
  /** One after the other. */
  readonly serverFaults: readonly Moment<ServerFault>[]
  /** Of the proxy, all the time. */
  readonly rates: FaultRates
}

const PROCESSES = 4
/** Crawl time: hosts are held for 20 s without a word, and buried after 30. */
const HELD_MS = 20_000
/** In which faults begin, ms of the machine at ten times the speed: undisturbed, a crawl takes half a second more. */
const SPAN_MS = 3_000
const HOUR_MS = 3_600_000

/** Kinds of faults that can be left out. */
export const FAULT_KINDS = ['kill', 'stop', 'server', 'network', 'proxy', 'clocks'] as const

/** Which of them may happen. */
export type FaultKinds = ReadonlySet<(typeof FAULT_KINDS)[number]>

/** The plan of a seed. `scale`: how many times as fast seconds go by. */
export function faultPlan(seed: string, { kinds, scale }: { readonly kinds: FaultKinds; readonly scale: number }): FaultPlan {
  const chance = seeded('faults', seed)
  const slower = 10 / scale
  const held = HELD_MS / scale
  /** Shorter than hosts are held for, or longer than it takes to bury their holder. */
  const lasting = (n: number): number =>
    Math.round(chance(n) < 0.5 ? (0.05 + 0.6 * chance(n + 1)) * held : (1.1 + chance(n + 1)) * held)
  const at = (n: number): number => Math.round(SPAN_MS * slower * chance(n))
  const ofWorkers = (['kill', 'stop'] as const).filter((kind) => kinds.has(kind))
  const ofServer = serverKinds(kinds)
  return {
    seed,
    machines: machinesOf(chance, kinds),
    workerFaults: times(ofWorkers.length === 0 ? 0 : Math.floor(4 * chance(1)), (n) => {
      const kind = pick(ofWorkers, chance, 100 + 10 * n)
      const ms = kind === 'kill' ? Math.round(1_000 * slower * chance(102 + 10 * n)) : lasting(104 + 10 * n)
      return { atMs: at(101 + 10 * n), fault: { kind, place: Math.floor(PROCESSES * chance(103 + 10 * n)), ms } }
    }),
    serverFaults: times(ofServer.length === 0 ? 0 : Math.floor(3 * chance(2)), (n) => {
      const kind = pick(ofServer, chance, 200 + 10 * n)
      return { atMs: at(201 + 10 * n), fault: { kind, ms: lasting(204 + 10 * n) } }
    }),
    rates:
      kinds.has('proxy') && chance(3) < 0.5
        ? { reset: 0.01, 'half-request': 0.005, 'lost-reply': 0.02, 'half-reply': 0.005, stall: 0.01 }
        : {},
  }
}

function serverKinds(kinds: FaultKinds): ServerFault['kind'][] {
  return [
    ...(kinds.has('server') ? (['server killed', 'server frozen'] as const) : []),
    ...(kinds.has('network') ? (['network silent', 'network down'] as const) : []),
  ]
}

/** Some share a machine, the others have one of their own. */
function machinesOf(chance: Chance, kinds: FaultKinds): FaultPlan['machines'] {
  return Array.from({ length: PROCESSES }, (_, place) => {
    const machine = Math.floor(3 * chance(10 + place))
    const clockMs = kinds.has('clocks') ? pick([-HOUR_MS, 0, HOUR_MS], chance, 20 + machine) : 0
    return { boot: machine === 0 ? '' : `machine-${String(machine)}`, clockMs: machine === 0 ? 0 : clockMs }
  })
}

function times<Fault>(count: number, make: (n: number) => Moment<Fault>): readonly Moment<Fault>[] {
  return Array.from({ length: count }, (_, n) => make(n)).toSorted((a, b) => a.atMs - b.atMs)
}
