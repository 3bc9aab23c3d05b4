// Whether the system of this process knows another one of a crawl: the same start of the same machine, the same space of process ids, and a start time.
//
// A machine without a boot id (macOS, Windows) has '' like every other one: a pid there is nobody's here.
import type { ProcessIdentity } from '@avocet/core/store'

/** Only of such a process does the system here say anything. */
export function isOfThisSystem({ boot, namespace, started }: ProcessIdentity, me: ProcessIdentity): boolean {
  return boot !== '' && boot === me.boot && namespace === me.namespace && started !== ''
}
