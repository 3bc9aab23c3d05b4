// Who takes part, in the order of the table.
import { avocet } from './avocet.ts'
import { bucketBreaker } from './bucket-breaker.ts'
import { domainQueues } from './domain-queues.ts'
import type { Pattern } from './ground.ts'
import { hostLock } from './host-lock.ts'
import { intervalStep } from './interval-step.ts'
import { gather, queue, semaphore } from './plain.ts'

/** A contestant. */
export interface Contestant {
  readonly name: string
  readonly pattern: Pattern
  /** Exchanges it may have under way at once: what the bound for it is computed with. */
  readonly slots: number
}

/** All of them. */
export const CONTESTANTS: readonly Contestant[] = [
  { name: 'gather', pattern: gather, slots: Infinity },
  { name: 'semaphore 50', pattern: semaphore, slots: 50 },
  { name: 'queue, 50 workers', pattern: queue, slots: 50 },
  { name: 'domain queues', pattern: domainQueues, slots: 50 },
  { name: 'bucket, breaker', pattern: bucketBreaker, slots: 100 },
  { name: 'interval step', pattern: intervalStep, slots: 100 },
  { name: 'host lock', pattern: hostLock, slots: Infinity },
  { name: 'Avocet', pattern: avocet(), slots: 100 },
  { name: 'Avocet + robots', pattern: avocet({ ignoreRobots: false }), slots: 100 },
  { name: 'Avocet, 1,000 slots', pattern: avocet({ slots: 1_000 }), slots: 1_000 },
]
