// A host of the simulated web: its life, its pages, its idle connections and what it felt.
import { FeltRecorder, type LogRoom } from '../felt.ts'
import type { CapacityGate } from '../site-model/capacity.ts'
import { HostLife } from '../site-model/host-life.ts'
import type { HostSpec } from '../site-model/host-spec.ts'
import { asAsked, NOT_FOUND, type SitePage } from '../site-model/site.ts'
import type { SiteModel } from '../site-model/site-model.ts'

/** Ms that a new connection takes. */
const CONNECT_MS = 1

/** Idle connections kept, as of a client that is not greedy. */
const MAX_IDLE_SOCKETS = 8

/** One host. */
export class SimulatedHost extends HostLife {
  readonly felt: FeltRecorder
  readonly #model: SiteModel
  readonly #startedAt: number
  #idleSockets = 0

  constructor(spec: HostSpec, model: SiteModel, web: { startedAt: number; room: LogRoom; gate?: CapacityGate | undefined }) {
    super(spec, model.seed, web.startedAt, web.gate)
    this.felt = new FeltRecorder(web.room)
    this.#model = model
    this.#startedAt = web.startedAt
  }

  get name(): string {
    return this.spec.name
  }

  get connectMs(): number {
    return CONNECT_MS
  }

  get bytesPerSecond(): number {
    return this.spec.bytesPerSecond ?? Infinity
  }

  get idleSockets(): number {
    return this.#idleSockets
  }

  /** What it answers to a request that arrives at `now` (epoch ms) with these header fields. */
  page(path: string, { now, headers }: { now: number; headers: Readonly<Record<string, string>> }): SitePage {
    return asAsked(this.#model.page(this.name, path, now - this.#startedAt) ?? NOT_FOUND, headers)
  }

  /** Whether there was an idle connection; then it is taken. */
  takeSocket(): boolean {
    if (this.#idleSockets === 0) return false
    this.#idleSockets--
    return true
  }

  giveSocket(): void {
    this.#idleSockets = Math.min(MAX_IDLE_SOCKETS, this.#idleSockets + 1)
  }
}
