// Whether a process of a crawl may live, as far as the system of this one can say.
//
// Of those that it does not know only a beat that stands still tells (peers.ts).
import { isAlive, thisProcess, type ProcessIdentity } from '@avocet/core/store'

/** False only where the system says that it is dead. */
export function mayLive(process: ProcessIdentity, me: ProcessIdentity = thisProcess()): boolean {
  return !isOfThisSystem(process, me) || isAlive(process, me, false)
}

// Whether the system of this process knows another one of a crawl: the same start of the same machine, the same space of process ids, and a start time.
//
// A machine without a boot id (macOS, Windows) has '' like every other one: a pid there is nobody's here.

/** Only of such a process does the system here say anything. */
export function isOfThisSystem({ boot, namespace, started }: ProcessIdentity, me: ProcessIdentity): boolean {
  return boot !== '' && boot === me.boot && namespace === me.namespace && started !== ''
}
