// Whether a process of a crawl may live, as far as the system of this one can say.
//
// It can say so only of processes that it knows to be its own. A machine without a boot id (macOS, Windows) has '' like every other one: a pid there is
// nobody's here. Of those only a beat that stands still tells (peers.ts).
import { isAlive, thisProcess, type ProcessIdentity } from '@avocet/core/store'

/** False only where the system says that it is dead. */
export function mayLive(
  { boot, namespace, pid, thread, started }: ProcessIdentity,
  me: ProcessIdentity = thisProcess(),
): boolean {
  const isOfThisSystem = boot !== '' && boot === me.boot && namespace === me.namespace && started !== ''
  return !isOfThisSystem || isAlive({ boot, namespace, pid, thread, started }, me, 0)
}
