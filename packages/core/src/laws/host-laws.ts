// What becomes of a host: it is given up, revived, or probed sooner; and when a free one is due. Every store applies these laws to its rows.

/** When a host can be leased, as a row; null where there is nothing. Moments are epoch ms. */
interface HostAvailability {
  /** Of its next visit, at the earliest; Infinity: no time will make it ready. */
  readonly readyAt: number
  /** Why it was given up. */
  readonly retiredFor: string | null
  /** Of one that was given up: its next probe; null: in a later run. */
  readonly probeAt: number | null
}

/** It is given up, and probed at `probeAt`; Infinity: in a later run. */
function retired(reason: string, probeAt: number): Omit<HostAvailability, 'readyAt'> {
  return { retiredFor: reason, probeAt: probeAt === Infinity ? null : probeAt }
}

/** It is back: at once where nobody holds it, else once its holder gives it back. */
function revived({ readyAt }: HostAvailability, isHeld: boolean): HostAvailability {
  return { readyAt: isHeld ? readyAt : 0, retiredFor: null, probeAt: null }
}

/** Given up and to be probed at `from` or later, it is probed at `now`. */
function probed<Host extends HostAvailability>(was: Host, { from, now }: { readonly from: number; readonly now: number }): Host {
  return was.retiredFor === null || (was.probeAt ?? Infinity) < from ? was : { ...was, probeAt: now }
}

/** What waits under it. */
interface Queue {
  /** Requests that wait for no moment. */
  readonly ready: number
  /** The first moment that another one waits for; Infinity where none does. Asked only if nothing is ready. */
  firstDelayedAt(): number
}

/** When a host that nobody holds has something to do; Infinity: never, as it is. */
function dueAtOf({ readyAt, retiredFor, probeAt }: HostAvailability, queue: Queue): number {
  const at = retiredFor === null ? readyAt : Math.max(readyAt, probeAt ?? Infinity)
  return queue.ready > 0 || at === Infinity ? at : Math.max(at, queue.firstDelayedAt())
}

interface Laws {
  readonly retired: typeof retired
  readonly revived: typeof revived
  readonly probed: typeof probed
  readonly dueAtOf: typeof dueAtOf
}

/** All of them under one name, for stores. */
export const hostLaws: Laws = { retired, revived, probed, dueAtOf }
