// Which page a host that was given up is probed with.
import type { Visit } from '../frontier.ts'
import { isIdempotent } from '../is-idempotent.ts'
import type { Leased } from '../request.ts'

/** What is asked for under a lease, and what is kept until a probe is answered. */
export interface ProbeChoice {
  readonly requests: readonly Leased[]
  readonly spare: readonly Leased[]
}

/**
 * Of a probe one page, another each time, for the first may be the one that never answers; of any other lease all. What may not be sent twice would be
 * settled by a probe in vain, so it is taken only where there is nothing else.
 */
export function probeChoice({ requests, retired }: Visit, seq: number): ProbeChoice {
  if (retired === undefined) return { requests, spare: [] }
  const harmless = requests.filter(({ method }) => isIdempotent(method ?? 'GET'))
  const choice = harmless.length > 0 ? harmless : requests
  const chosen = choice[seq % choice.length]
  return { requests: requests.filter((each) => each === chosen), spare: requests.filter((each) => each !== chosen) }
}
