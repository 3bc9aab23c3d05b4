// When a link or a seed wants a page that is known to be visited again: in this run, if it was fetched before a moment that can be right.
import type { LinkOptions } from '../link.ts'
import type { NewRequest } from '../request.ts'

/** A site may be in another time zone; what it says of a later future is wrong. */
const FUTURE_MS = 86_400_000

/** What is wanted at `at` (epoch ms); nothing of a page that is not to be visited again. */
export function wantedVisit(
  { again, modifiedAt = 0 }: Pick<LinkOptions, 'again' | 'modifiedAt'>,
  at: number,
): Pick<NewRequest, 'again' | 'modifiedAt'> {
  const now = Math.floor(at)
  if (again === true) return { again: now }
  return modifiedAt > 0 && modifiedAt <= now + FUTURE_MS ? { again: now, modifiedAt } : {}
}
