// Hosts that are asked for a document that another host needs, and that this process does not hold: their links are out of scope, another process has
// them, or their turn has not come.
//
// Where the frontier can lease a host by its key, it is leased and is a stranger no more: one process at a time asks it, and what that teaches is kept. Only
// for other frontiers somebody stands in for it, as follows. Each is restored from its memory at rest, so what is known of it holds (its pace, its breaker, its rights), but nothing of it is written back: that
// is its holder's. It is remembered for a while, so that documents for many hosts come at its pace.
import type { Clock } from '../clock.ts'
import type { Visit } from '../frontier.ts'
import type { FrontierReader } from '../frontier-reader.ts'
import type { HostOptions } from '../host-options.ts'
import type { Memories } from '../memory.ts'
import { LiveHost } from './live-host.ts'

/** Hosts remembered: the oldest that has nothing to do makes room. */
const MAX_STRANGERS = 1_000

/** What strangers are made of. */
export interface StrangersParts {
  readonly reader: FrontierReader
  readonly memories: Memories
  readonly clock: Clock
  readonly optionsOf: (hostKey: string) => HostOptions
  /** Leases a host by its key; absent where the frontier cannot. */
  readonly lease?: ((host: Wanted) => Promise<Visit | undefined>) | undefined
  /** Holds a host that was leased. */
  readonly enter: (visit: Visit) => LiveHost
  /** The host of this key, if this process holds it. */
  readonly held: (hostKey: string) => LiveHost | undefined
  /** Of the scheduler, now. */
  readonly virtualTime: () => number
}

/** A host that is needed for a document. */
export interface Wanted {
  readonly hostKey: string
  readonly url: string
}

/** `held`: another process has it; `unmet`: it was given up, or the store cannot be read, of which the next commit will tell. */
export type Met = LiveHost | 'held' | 'unmet'

/** What is known of a host. */
type AtHand = Pick<LiveHost, 'core' | 'memory'>

/** The strangers of a process. */
export class Strangers {
  readonly #hosts = new Map<string, LiveHost>()
  readonly #parts: StrangersParts
  #order = 0
  #meeting = 0

  constructor(parts: StrangersParts) {
    this.#parts = parts
  }

  /** All that were met. */
  get hosts(): Iterable<LiveHost> {
    return this.#hosts.values()
  }

  /** Whether some host's memory is being read. */
  get busy(): boolean {
    return this.#meeting > 0
  }

  isHeld(host: LiveHost): boolean {
    return this.#parts.held(host.key) === host
  }

  /** The host of this key that is at hand: the held one, else a stranger that was met. */
  at(hostKey: string): LiveHost | undefined {
    return this.#parts.held(hostKey) ?? this.#hosts.get(hostKey)
  }

  /** Leases or meets the host that is not at hand; `busy` until `use` has it, or it would be given back as one that nobody needs. */
  async meet(wanted: Wanted, use: (met: Met) => void): Promise<void> {
    using _hold = this.#parts.clock.hold(`memory of ${wanted.hostKey}`)
    this.#meeting++
    const met = await this.#met(wanted).catch(() => this.at(wanted.hostKey) ?? 'unmet')
    this.#meeting--
    use(met)
  }

  async #met({ hostKey, url }: Wanted): Promise<Met> {
    const { lease, reader, enter } = this.#parts
    const visit = await lease?.({ hostKey, url })
    if (visit !== undefined) return enter(visit)
    const record = await reader.host(hostKey)
    const met = this.at(hostKey)
    if (met !== undefined) return met
    if (record?.retiredFor !== undefined) return 'unmet'
    return lease === undefined ? this.#restored(hostKey, record?.memory ?? {}) : 'held'
  }

  /** It is held from now on. What it said as a stranger holds, unless somebody has asked it more since; what is in flight counts either way. */
  joined(hostKey: string, atRest: AtHand): AtHand & { readonly exchanges?: LiveHost['exchanges'] } {
    const host = this.#hosts.get(hostKey)
    if (host === undefined) return atRest
    this.#hosts.delete(hostKey)
    const { core, memory } = host.core.seq >= atRest.core.seq ? host : atRest
    return { core, memory, exchanges: host.exchanges }
  }

  forget(host: LiveHost): void {
    if (this.#hosts.get(host.key) === host) this.#hosts.delete(host.key)
  }

  #restored(hostKey: string, parts: Readonly<Record<string, string>>): LiveHost {
    const { memories, optionsOf, virtualTime } = this.#parts
    const visit = { hostKey, epoch: -1, memory: parts, requests: [], waiting: 0 }
    const restored = { order: this.#order++, options: optionsOf(hostKey), virtualTime: virtualTime(), leasedAt: 0 }
    const host = new LiveHost(visit, { ...restored, ...memories.restoreHost(parts) })
    this.#hosts.set(hostKey, host)
    const idle =
      this.#hosts.size > MAX_STRANGERS ? [...this.#hosts.values()].find((each) => each.isSpent && each !== host) : undefined
    if (idle !== undefined) this.forget(idle)
    return host
  }
}
