// Whether a process of a crawl may live, as far as the system of this one can say.
//
// Of those that it does not know only a beat that stands still tells (peers.ts).
import { isAlive, thisProcess, type ProcessIdentity } from '@avocet/core/store'
import { isOfThisSystem } from './is-of-this-system.ts'

/** False only where the system says that it is dead. */
export function mayLive(process: ProcessIdentity, me: ProcessIdentity = thisProcess()): boolean {
  return !isOfThisSystem(process, me) || isAlive(process, me, 0)
}
