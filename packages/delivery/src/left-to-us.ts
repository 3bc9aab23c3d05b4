// Whether others committed items while this process ended its deliveries to a sink: they could not take the sink, and left the rest to it.
// Where all of them were ordered to stop, whoever runs a sink ends it last: the others may not have that sink.
//
// Looked for once the sink is free, so whoever commits later can take it. A process that goes on takes it within a second, and is waited for that long: whoever
// has only just ended lives for a moment too. What no time is left for counts as behind.
import { type SinkRecord, sleepUntil } from '@avocet/core/store'
import type { Backlog } from './backlog.ts'
import { behindInStore, nextFor, type DeliveryEnd, type DeliveryParts } from './delivery-parts.ts'
import type { SinkClaim } from './sink-claim.ts'
import type { SinkLedger } from './sink-ledger.ts'
import type { SinkRest } from './sink-rest.ts'

/** Pauses between looks while others live; together longer than two of their tries (`TRY_MS` of sink-claim.ts). */
const PAUSES_MS = [100, 200, 400, 800, 800]

/** The delivery that has ended. */
interface Ended {
  readonly parts: Pick<DeliveryParts, 'make' | 'store' | 'sink' | 'clock' | 'isShared' | 'fail'>
  readonly claim: Pick<SinkClaim, 'isHeld' | 'lost'>
  readonly backlog: Pick<Backlog, 'lookedUpTo' | 'size' | 'committed'>
  readonly ledger: Pick<SinkLedger, 'gathered'>
  readonly rest: Pick<SinkRest, 'until'>
  /** No time is left. */
  isLate(): boolean
}

/** True: this process is to claim the sink again, unless another one has meanwhile, which looks behind its own end. */
export async function isLeftToUs(ended: Ended): Promise<boolean> {
  const { parts, claim } = ended
  if (!parts.isShared || !claim.isHeld) return false
  try {
    const isLeft = await hasLeft(ended)
    if (isLeft) claim.lost()
    return isLeft
  } catch (error) {
    parts.fail(error)
    return false
  }
}

/** Within it each process has heard of an order, and leases nothing more. */
const HEARD_MS = 1_000
const LOOK_MS = 100

/** A delivery that is about to end. */
interface Ending {
  readonly parts: Pick<DeliveryParts, 'make' | 'store' | 'clock' | 'isShared' | 'fail'>
  readonly claim: Pick<SinkClaim, 'isHeld'>
  readonly end: DeliveryEnd
  isLetGo(): boolean
}

/**
 * Where all processes were ordered to stop: waits until none holds a host any more (this one holds none by now), for it commits nothing then. What is wrong
 * with the sink where some have not in time.
 */
export async function othersGoOn({ parts, claim, end, isLetGo }: Ending): Promise<SinkRecord['trouble']> {
  const { make, store, clock, isShared, fail } = parts
  if (!isShared || !claim.isHeld) return undefined
  const heardAt = clock.now() + HEARD_MS
  try {
    for (;;) {
      const { liveProcesses, processes = [] } = await make('processes', () => store.reader.info())
      if (liveProcesses <= 1 || (clock.now() >= heardAt && processes.every(({ hosts }) => hosts === 0))) return undefined
      if (isLetGo() || clock.now() >= end.until)
        return { since: clock.now(), error: 'other processes have not stopped in time, and may commit more items' }
      await sleepUntil(clock, clock.now() + LOOK_MS)
    }
  } catch (error) {
    fail(error)
    return undefined
  }
}

async function hasLeft({ parts, backlog, ledger, rest, isLate }: Ended): Promise<boolean> {
  const { make, store, clock } = parts
  if ((await nextFor(parts, { afterSeq: backlog.lookedUpTo, limit: 1 })).length === 0) return false
  for (const ms of PAUSES_MS) {
    if (isLate() || (await make('sink', () => store.reader.info())).liveProcesses <= 1) break
    await rest.until(clock.now() + ms, false)
  }
  if (!isLate()) return true
  backlog.committed(Math.max(0, (await behindInStore(parts)) - ledger.gathered - backlog.size))
  return false
}
