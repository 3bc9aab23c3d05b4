// The other processes of a crawl, as this one sees them: which of them are dead.
//
// On the same machine the system says so at once. Of another one only its beat tells: it is dead when the beat stayed the same for `buryMs` of this process's
// own time, in which this process was itself answered. If it was not, it begins to count anew: it may be the one that was away.
import { thisProcess, type ProcessIdentity } from '@avocet/store-sql'
import { isOfThisSystem, mayLive } from '../read/may-live.ts'
import type { Lifetimes } from './held-time.ts'

/** A row of `processes()`. */
export type PeerRow = readonly [
  id: number,
  beat: number,
  boot: string,
  namespace: string,
  pid: number,
  thread: number,
  started: string,
  token: string,
  machine: string,
]

/** A process that is dead. */
export interface DeadPeer {
  readonly id: number
  readonly token: string
  /** It is dead as long as this is its last beat. */
  readonly beat: number
}

/** Tokens of the stores that are open in this thread: one that was dropped without being closed is dead. */
export const OPEN_HERE: Set<string> = new Set()

interface Seen {
  readonly beat: number
  /** Monotonic ms. */
  readonly since: number
}

/** What is known of them. */
export class Peers {
  readonly #lifetimes: Lifetimes
  readonly #me: ProcessIdentity
  #seen = new Map<number, Seen>()
  #answeredAt = -Infinity
  /** As of the last answer. */
  #others: readonly PeerRow[] = []

  constructor(lifetimes: Lifetimes, me: ProcessIdentity = thisProcess()) {
    this.#lifetimes = lifetimes
    this.#me = me
  }

  /** Who this process is. */
  get me(): ProcessIdentity {
    return this.#me
  }

  /**
   * This process was answered with these rows; `own` is its id. Monotonic ms: a beat is seen when the answer has come, and has not changed by when the next
   * question was sent. Returns those that are dead.
   */
  answered(
    rows: readonly PeerRow[],
    own: number,
    { sentAt, at }: { readonly sentAt: number; readonly at: number },
  ): readonly DeadPeer[] {
    const wasAway = at - this.#answeredAt > this.#lifetimes.heldMs
    this.#answeredAt = at
    this.#others = rows.filter(([id]) => id !== own)
    const before = wasAway ? new Map<number, Seen>() : this.#seen
    this.#seen = new Map(
      rows.map(([id, beat]) => {
        const last = before.get(id)
        return [id, last?.beat === beat ? last : { beat, since: at }]
      }),
    )
    return rows.flatMap((row) => {
      const [id, beat, , , , , , token] = row
      const isSilent = sentAt - (this.#seen.get(id)?.since ?? at) >= this.#lifetimes.buryMs
      return id !== own && (isSilent || this.isProvenDead(row)) ? [{ id, token, beat }] : []
    })
  }

  /** Whether the system says that one of those is dead that were there at the last answer. Cheap: asked four times a second. */
  get hasProvenDead(): boolean {
    return this.#others.some((row) => this.isProvenDead(row))
  }

  /** Whether the system says that it is dead. */
  isProvenDead([, , boot, namespace, pid, thread, started, token]: PeerRow): boolean {
    const me = this.#me
    const process = { boot, namespace, pid, thread, started }
    if (!mayLive(process, me)) return true
    const isKnown = isOfThisSystem(process, me)
    return isKnown && pid === me.pid && started === me.started && thread === me.thread && !OPEN_HERE.has(token)
  }
}
