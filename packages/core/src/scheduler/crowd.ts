// Which hosts a process gives back because it holds too many: others have come, or another process is idle.
import type { Frontier } from '../frontier.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { leaversOf, stayingOf, surplusOf } from './leavers.ts'
import type { Scheduler } from './scheduler.ts'
import { shareAt, UNPAID_MS } from './window-size.ts'

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
