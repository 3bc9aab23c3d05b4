// How far a sink is, as those see it who look at the run.
import type { SinkStatus } from '@avocet/core/tools'
import type { Backlog } from './backlog.ts'
import type { OpenSink } from './open-sink.ts'
import type { SinkClaim } from './sink-claim.ts'
import type { SinkLedger } from './sink-ledger.ts'

/** What it follows from. */
export interface DeliveryState {
  readonly ledger: Pick<SinkLedger, 'record' | 'written' | 'gathered' | 'inRun'>
  readonly backlog: Pick<Backlog, 'size' | 'setAside'>
  readonly session: Pick<OpenSink, 'askedAt'> | undefined
  readonly claim: Pick<SinkClaim, 'isHeld'>
}

/** Pure. */
export function deliveryStatus({ ledger, backlog, session, claim }: DeliveryState): SinkStatus {
  const { name, changes, trouble } = ledger.record
  const { taken, refused } = ledger.inRun
  // A sink that is not open has lost what its mark had not passed: it failed, or was let go of before it could finish. It comes again.
  const lost = session === undefined ? ledger.gathered : 0
  return {
    name,
    ...(changes && { changes }),
    written: ledger.written - lost,
    behind: backlog.size + lost,
    setAside: backlog.setAside,
    ...(refused > 0 && { refused: { items: refused, of: taken + refused } }),
    ...(trouble && { failingSince: trouble.since, error: trouble.error }),
    ...(session?.askedAt !== undefined && { waitedSince: session.askedAt }),
    ...(!claim.isHeld && { elsewhere: true as const }),
  }
}
