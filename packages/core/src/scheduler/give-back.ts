// Chooses which hosts go back to the frontier when there are more than the window holds, and gives them back: until when they rest and why, what changed in
// their memory, and which of them are given up.
//
// First those that rest after they were asked: they cannot continue yet, and each costs one lease for at least one exchange, so they may go
// at any rate. What else goes costs leases without exchanges, and is for a caller that counts the time (`unpaid`):
// - while slots are free, those that turned out to rest as soon as they were leased;
// - while slots are full, those that have used the most slot time, once they were held for a moment: they would be served last. With exchanges in
//   flight they go when these end. A host that is behind is never given back.
import type { Rest, Frontier } from '../ports/frontier.ts'
import type { LiveHost, Retirement } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'
import { isUntilResumed } from '../ports/frontier-reader.ts'
import type { Scheduler } from './scheduler.ts'
import { shareAt, UNPAID_MS } from './leasing.ts'

/** A paused host that was given up, and is due for a probe, is looked at this often. */
const PAUSED_PROBE_MS = 3_600_000

/**
 * Gives hosts back in one call, which the caller has forgotten before; they are due again at `notBefore` (epoch ms) at the earliest. Resolves with the moment
 * at which there may be something to do for one of them; Infinity: never.
 */
export async function giveBack(hosts: readonly LiveHost[], run: Run, notBefore = 0): Promise<number> {
  const { calls, settings } = run
  const given = hosts.map((host) => ({ lease: host.token, rest: restOf(host, run, notBefore) }))
  const moments = hosts.map((host, index) => momentOf(host, given[index]?.rest.readyAt ?? 0))
  const [only] = hosts.length === 1 ? hosts : []
  if (given.length > 0)
    await calls.make(`release of ${only?.key ?? `${hosts.length} hosts`}`, () => settings.frontier.release(given))
  return moments.reduce((a, b) => Math.min(a, b), Infinity)
}

/** A host is given up, while it is held: between the two nobody else can lease it as a host like any other. */
export async function giveUp(host: LiveHost, { calls, memories, settings }: Run, { reason, probeAt }: Retirement): Promise<void> {
  const { frontier } = settings
  const memory = memories.changedHost(host, true) ?? {}
  await calls.make(`retirement of ${host.key}`, () => frontier.retire(host.key, reason, probeAt, host.token))
  await calls.make(`release of ${host.key}`, () => frontier.release([{ lease: host.token, rest: { readyAt: 0, memory } }]))
}

function momentOf(host: LiveHost, readyAt: number): number {
  return host.waiting > 0 ? Math.max(readyAt, Math.min(host.queue.readyAt(), host.storeDelayedAt)) : Infinity
}

/** When it may be visited again, why not before, and what changed in its memory. */
function restOf(host: LiveHost, { memories, settings }: Run, notBefore = 0): Rest {
  const now = settings.clock.now()
  const { readyAt, hold } = host.constraint
  if (hold) host.core.heldFor = { by: hold.by, why: hold.why, until: Number.isFinite(hold.until) ? hold.until : null }
  else delete host.core.heldFor
  // Nobody can lease a host that was given up by its key, so a paused one is found by looking now and then.
  const heldUntil = host.probing !== undefined && isUntilResumed(readyAt) ? now + PAUSED_PROBE_MS : readyAt
  return {
    readyAt: Math.max(Number.isFinite(heldUntil) ? heldUntil : 0, notBefore),
    memory: memories.changedHost(host, true) ?? {},
    onProbation: host.onProbation,
  }
}

/** Less rest than this is not worth a lease. */
const SHORT_REST_MS = 100
/** Long enough for a few exchanges on one connection. */
const TENURE_MS = 2_000

/** What the choice depends on. */
export interface Leave {
  /** At most so many. */
  readonly count: number
  readonly now: number
  /** Of the scheduler. */
  readonly virtualTime: number
  readonly slotsFree: boolean
  /** Whether some may go that had no request since they were leased. */
  readonly unpaid: boolean
}

/** The hosts that go so that others can come, first those that go first. */
export function leaversOf(hosts: Iterable<LiveHost>, leave: Leave): LiveHost[] {
  const { count, now, unpaid } = leave
  const staying = stayingOf(hosts)
  const resting = longestResting(staying.filter((host) => host.isIdle && host.restsUntil - now > SHORT_REST_MS))
  const first = resting.filter(({ isServed }) => isServed).slice(0, count)
  if (first.length === count || !unpaid) return first
  const chosen = new Set(first)
  const rest = (leave.slotsFree ? resting : mostServed(staying, leave)).filter((host) => !chosen.has(host))
  return [...first, ...rest.slice(0, count - first.length)]
}

/** The `count` hosts that go to another process: those that rest longest, then those that wait, then those with exchanges in flight. */
export function surplusOf(hosts: Iterable<LiveHost>, count: number): LiveHost[] {
  const staying = stayingOf(hosts)
  const idle = longestResting(staying.filter((host) => host.isIdle))
  const busy = staying.filter((host) => !host.isIdle).sort(byUse)
  return [...idle, ...busy].slice(0, count)
}

/** The hosts that are not being given back. */
function stayingOf(hosts: Iterable<LiveHost>): LiveHost[] {
  return [...hosts].filter(({ leaving, retiring }) => !leaving && retiring === undefined)
}

function mostServed(hosts: LiveHost[], { now, virtualTime }: Leave): LiveHost[] {
  return hosts.filter((host) => now - host.leasedAt >= TENURE_MS && host.virtualTime > virtualTime).sort(byUse)
}

/** Each is looked at once: a window of hundreds is sorted with every lease. */
function longestResting(hosts: readonly LiveHost[]): LiveHost[] {
  const rests = hosts.map((host) => ({ host, until: host.restsUntil }))
  return rests.sort((a, b) => b.until - a.until || a.host.heapOrder - b.host.heapOrder).map(({ host }) => host)
}

function byUse(a: LiveHost, b: LiveHost): number {
  return b.virtualTime - a.virtualTime || a.heapOrder - b.heapOrder
}

/** What it goes by. */
interface CrowdParts {
  /** Hosts that a process holds at most, for longer than a moment. */
  readonly usual: number
  readonly scheduler: Scheduler
  readonly frontier: Frontier
}

/** The hosts of a window, when they are too many. */
export class Crowd {
  readonly #parts: CrowdParts
  #unpaidAt = 0

  constructor(parts: CrowdParts) {
    this.#parts = parts
  }

  /** Hosts have come: those that go for them. */
  leavers(hosts: Iterable<LiveHost>, now: number): readonly LiveHost[] {
    const { usual, scheduler } = this.#parts
    const all = [...hosts]
    const count = stayingOf(all).length - usual
    if (count <= 0) return []
    const unpaid = now >= this.#unpaidAt
    if (unpaid) this.#unpaidAt = now + UNPAID_MS
    return leaversOf(all, { count, now, virtualTime: scheduler.virtualTime, slotsFree: scheduler.slots.free > 0, unpaid })
  }

  /** What is more than this process's share while another one is idle. */
  surplus(hosts: Iterable<LiveHost>, now: number): readonly LiveHost[] {
    const all = [...hosts]
    const count = stayingOf(all).length - shareAt(this.#parts.frontier, now)
    return count > 0 ? surplusOf(all, count) : []
  }
}
