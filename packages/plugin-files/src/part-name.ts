// Names of parts: whose file it is, and who is writing it. A rename takes a part over, so of two processes only one gets it.
//
// `KEY.MACHINE-PID-TOKEN`, and beside it its note (part-note.ts). A part of a process of this machine that is gone was left by it. Of other machines (a
// shared folder, a container that was made again) nobody knows, but one that was not touched for an hour is not being written: a body that comes slower
// than that was given up long ago.
import { isRunning } from '@avocet/core/store'
import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

const NAME = /^([\da-f]{32})\.([\da-f]{8}-\d{1,10})-([\da-f]{8})$/
const TOKEN_BYTES = 4
/** Of a part that another machine writes. */
const UNTOUCHED_MS = 3_600_000

/** A part, as its name says. */
export interface PartName {
  readonly name: string
  /** Of the request. */
  readonly key: string
  /** Who is writing it, or was. */
  readonly owner: string
  readonly token: string
}

/** What `name` says; undefined: it is no part. */
export function readPartName(name: string): PartName | undefined {
  const [, key, owner, token] = NAME.exec(name) ?? []
  return key === undefined || owner === undefined || token === undefined ? undefined : { name, key, owner, token }
}

/** A new name, for a part that this process writes. */
export function newPartName(key: string): PartName {
  const owner = `${thisMachine()}-${String(process.pid)}`
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  return { name: `${key}.${owner}-${token}`, key, owner, token }
}

/** Whether nobody writes it. `mine`: tokens of what this process writes; `untouchedMs`: since it was written last. */
export function isAbandoned({ owner, token }: PartName, mine: ReadonlySet<string>, untouchedMs: number): boolean {
  const [machine, pid] = owner.split('-')
  if (machine !== thisMachine()) return untouchedMs >= UNTOUCHED_MS
  return Number(pid) === process.pid ? !mine.has(token) : !isRunning(Number(pid))
}

function thisMachine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
}
