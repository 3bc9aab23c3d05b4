// One heartbeat: renews the leases of held hosts. A fault of the store goes to its caller like that of any call.
import type { LiveHost } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'

/** Says that `hosts` are still held, and learns what other processes added to them; gives those that another process has now. */
export async function renewed(
  hosts: readonly LiveHost[],
  { settings, calls }: Pick<Run, 'settings' | 'calls'>,
): Promise<readonly LiveHost[]> {
  const { frontier, clock } = settings
  const tokens = hosts.map(({ token }) => token)
  let asked: readonly number[] = []
  const results = await calls.make('renew', () => {
    asked = hosts.map(({ storeMoves }) => storeMoves)
    return frontier.renew(tokens, clock.now())
  })
  return hosts.filter((host, index) => {
    const result = results[index]
    if (result === undefined || !host.live) return false
    if (result.held) learn(host, result.waiting, asked[index] === host.storeMoves)
    return !result.held
  })
}

/**
 * So many wait in the store, also by what other processes added. An answer that was overtaken by what this process has taken or committed says that there is
 * something, and not how much; one that was not may have requests of which the commit is not answered yet.
 */
function learn(host: LiveHost, waiting: number, isOfNow: boolean): void {
  host.storeDue ||= waiting > host.storeWaiting
  const isExact = isOfNow && host.unsettled === 0 && !host.refilling
  const least = isOfNow ? waiting - host.unsettled : Math.min(waiting, 1)
  host.storeWaiting = isExact ? waiting : Math.max(host.storeWaiting, least)
}
