// The wall clock of this machine, which goes on while it is suspended: until when hosts are held must not be longer for that.
import type { Clock } from '@avocet/core/store'
import type { TimeSources } from './held-time.ts'

/** Monotonic time as a crawl's clock has it, and wall time as the machine has it. */
export function machineTime(clock: Clock): TimeSources {
  return { monotonic: () => clock.monotonic(), wall: () => Date.now() }
}
