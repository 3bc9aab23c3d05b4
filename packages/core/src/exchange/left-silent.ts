// Which requests of a host a stop took back while their server was silent: the next stop waits for them.
//
// A stop does not wait for what is silent (see drain.ts). Without this, a page that takes long would be requested by every run and awaited by none, also beside
// others of its host that answer at once.
import { markOf, withMarks, withoutMarks, type Marks } from '../hosts/core-memory.ts'
import type { Request } from '../request.ts'

/** Of one host, 300 bytes. More than these hang at once only where the host does, and a few that are awaited find that out. */
const MAX_REMEMBERED = 32

/** The part of a host's memory. */
export interface LeftSilentMemory {
  leftSilent?: Marks
}

/** What tells requests apart: a required document has no fingerprint. */
type Asked = Pick<Request, 'fingerprint' | 'url'>

/** Whether a stop left it in its silence before: this time it may answer. */
export function wasLeftSilent({ leftSilent }: LeftSilentMemory, request: Asked): boolean {
  return leftSilent?.includes(nameOf(request)) ?? false
}

/** A stop took it back unanswered. */
export function rememberLeftSilent(memory: LeftSilentMemory, request: Asked): void {
  memory.leftSilent = withMarks(memory.leftSilent, [nameOf(request)], MAX_REMEMBERED)
}

/** It was answered, or failed. */
export function forgetLeftSilent(memory: LeftSilentMemory, request: Asked): void {
  if (memory.leftSilent !== undefined) memory.leftSilent = withoutMarks(memory.leftSilent, [nameOf(request)])
}

function nameOf({ fingerprint, url }: Asked): string {
  return markOf(`${fingerprint} ${url}`)
}
