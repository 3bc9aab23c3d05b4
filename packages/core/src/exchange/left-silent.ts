// Which requests of a host a stop took back while their server was silent: the next stop waits for them.
//
// A stop does not wait for what is silent (see drain.ts). Without this, a page that takes long would be requested by every run and awaited by none, also beside
// others of its host that answer at once. Kept in the host's memory as hashes, the one that was taken back longest ago first.
import { hash } from 'node:crypto'
import type { Request } from '../request.ts'

/** Of one host, 300 bytes. More than these hang at once only where the host does, and a few that are awaited find that out. */
const MAX_REMEMBERED = 32

/** The part of a host's memory. */
export interface LeftSilentMemory {
  /** Absent while there is none. */
  leftSilent?: readonly string[] | undefined
}

/** What tells the request of a page apart. */
type Asked = Pick<Request, 'method' | 'url'>

/** Whether a stop left it in its silence before: this time it may answer. */
export function wasLeftSilent({ leftSilent }: LeftSilentMemory, request: Asked): boolean {
  return leftSilent?.includes(markOf(request)) ?? false
}

/** A stop took it back unanswered. */
export function rememberLeftSilent(memory: LeftSilentMemory, request: Asked): void {
  forgetLeftSilent(memory, request)
  memory.leftSilent = [...(memory.leftSilent ?? []), markOf(request)].slice(-MAX_REMEMBERED)
}

/** It was answered, or failed. */
export function forgetLeftSilent(memory: LeftSilentMemory, request: Asked): void {
  if (memory.leftSilent === undefined) return
  const left = memory.leftSilent.filter((mark) => mark !== markOf(request))
  memory.leftSilent = left.length > 0 ? left : undefined
}

/** 32 bits: where two are taken for one, a stop waits for a page that it need not wait for. */
function markOf({ method, url }: Asked): string {
  return hash('sha1', `${method} ${url}`, 'hex').slice(0, 8)
}
