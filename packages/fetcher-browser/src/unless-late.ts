// Waits for a call to the browser, and no longer than a time limit: a page can keep it from ever answering.
import type { Clock } from '@avocet/core/store'

/** What `coming` gives, or `late` after `ms`. */
export async function unlessLate<Value>(
  { ms, clock }: { readonly ms: number; readonly clock: Clock },
  coming: Promise<Value>,
  late: Value,
): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>()
  using _timer = clock.at(clock.now() + ms, () => resolve(late))
  return await Promise.race([coming, promise])
}

/** For what may fail and is not missed. */
export function ignored(): undefined {}
