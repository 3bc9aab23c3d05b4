// What operators have ordered of each host: a few registers for each, of which the later one holds; and how those go that say nothing any more.
//
// A register that is left out would come back with the copy of a process that died before it was overruled. So what is left out has a horizon, a moment that is
// joined by the latest: a state has seen every order for a host up to its horizon, and what it does not have of them is over, whoever has it still. Only what
// is old enough for every process that gives orders to know it is left out, so no order that somebody gives meanwhile is from before the horizon. Source: the
// causal context of sets in Almeida, Shoker, Baquero 2018, "Delta state replicated data types", §7, with one moment in place of a vector.
import type { OrderedLimits } from './control.ts'

/** A value, and when it was ordered (epoch ms, later than what its author knew). */
export interface Register<Value> {
  readonly at: number
  readonly value: Value
}

/** What holds for one host. */
export interface HostControl {
  /** Epoch ms until which nothing is sent; 0 = it is not paused. */
  readonly pausedUntil?: Register<number>
  /** Limits, each by itself; null = as configured. */
  readonly maxRps?: Register<number | null>
  readonly maxInFlight?: Register<number | null>
  readonly delayMs?: Register<number | null>
  /** Its memory is begun anew unless that has been done since. */
  readonly forgotten?: Register<true>
}

/** The hosts with orders, and how far back orders were left out. */
export interface HostControls {
  readonly hosts: Readonly<Record<string, HostControl>>
  /** Epoch ms: orders for hosts up to it that are not among these say nothing any more. 0: none was left out. */
  readonly horizon: number
}

/** All registers of a host, by name. */
export const REGISTERS: readonly (keyof HostControl)[] = ['pausedUntil', 'maxRps', 'maxInFlight', 'delayMs', 'forgotten']

/** So long after an order every process that has the store open knows it: they look four times a second. */
const SETTLED_MS = 3_600_000

/** The hosts of both states. */
export function joinedHosts(a: HostControls, b: HostControls): HostControls {
  const names = new Set([...Object.keys(a.hosts), ...Object.keys(b.hosts)])
  const hosts = [...names].map((hostKey): readonly [string, HostControl] => {
    const [ofA, ofB] = [own(a.hosts, hostKey), own(b.hosts, hostKey)]
    const registers = REGISTERS.map((name): [string, AnyRegister] => {
      const [inA, inB]: readonly AnyRegister[] = [ofA[name], ofB[name]]
      return [name, laterRegister(seenBy(b, inA, inB), seenBy(a, inB, inA))]
    }).filter(([, register]) => register !== undefined)
    return [hostKey, Object.fromEntries(registers)]
  })
  return {
    hosts: Object.fromEntries(hosts.filter(([, host]) => Object.keys(host).length > 0)),
    horizon: Math.max(a.horizon, b.horizon),
  }
}

type AnyRegister = Register<number | null | true> | undefined

function own(hosts: HostControls['hosts'], hostKey: string): HostControl {
  return (Object.hasOwn(hosts, hostKey) ? hosts[hostKey] : undefined) ?? {}
}

/** A register as another state lets it be: undefined where that one has left it out. */
function seenBy({ horizon }: HostControls, register: AnyRegister, other: AnyRegister): AnyRegister {
  return register !== undefined && other === undefined && register.at <= horizon ? undefined : register
}

/** The later register. Of one moment that of the larger text: any rule will do that does not ask who came first. */
export function laterRegister<Value>(
  a: Register<Value> | undefined,
  b: Register<Value> | undefined,
): Register<Value> | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if (a.at !== b.at) return a.at > b.at ? a : b
  return JSON.stringify(a.value) >= JSON.stringify(b.value) ? a : b
}

/** When something was last ordered for a host, epoch ms. */
export function orderedAt(host: HostControl): number {
  return Math.max(...REGISTERS.map((name) => host[name]?.at ?? 0))
}

/** The limits that are set for a host in place of those of the configuration. */
export function orderedLimits({ maxRps, maxInFlight, delayMs }: HostControl): OrderedLimits {
  return {
    ...(typeof maxRps?.value === 'number' && { maxRps: maxRps.value }),
    ...(typeof maxInFlight?.value === 'number' && { maxInFlight: maxInFlight.value }),
    ...(typeof delayMs?.value === 'number' && { delayMs: delayMs.value }),
  }
}

/** Without the hosts that no order holds for any more: those that were carried out everywhere, and that every process knows. `now`: epoch ms. */
export function withoutSpent(
  { hosts, horizon }: HostControls,
  { carriedOut, now }: { readonly carriedOut: number; readonly now: number },
): HostControls {
  const known = Math.min(carriedOut, now - SETTLED_MS)
  const isSpent = (host: HostControl): boolean =>
    orderedAt(host) <= known && (host.pausedUntil?.value ?? 0) <= now && Object.keys(orderedLimits(host)).length === 0
  const all = Object.entries(hosts)
  const left = all.filter(([, host]) => !isSpent(host))
  const latest = all.reduce((at, [, host]) => (isSpent(host) ? Math.max(at, orderedAt(host)) : at), horizon)
  return { hosts: Object.fromEntries(left), horizon: latest }
}
