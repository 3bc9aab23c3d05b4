// What a request that an operator dropped is failed for: its reason of before, behind a prefix.

/** Before the reason that a request had when an operator dropped it. */
export const DROPPED_PREFIX = 'dropped-'

/** With what reason a request is failed once it is dropped; undefined where it was dropped already. */
export function droppedReason(reason: string): string | undefined {
  return reason.startsWith(DROPPED_PREFIX) ? undefined : `${DROPPED_PREFIX}${reason}`
}

/** Of what waits under a host that was given up. */
export const DROPPED_WITH_HOST: string = `${DROPPED_PREFIX}host-dead`
