// Who a process is, and whether it still lives: boot id, pid and start time, so that a pid that was given again is not taken for the old one.
//
// On Linux the answer is exact and at once, so the hosts of a process that was killed are free the moment anybody looks. Elsewhere, and
// across containers that cannot see each other's processes, a process counts as dead when it is silent.
import { readFileSync, readlinkSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { isRunning } from '@avocet/core/store'

/** A process as the store names it. */
export interface ProcessIdentity {
  /** Changes with each start of the machine; '' where unknown. */
  readonly boot: string
  /** Of process ids (containers have their own); '' where unknown. */
  readonly namespace: string
  readonly pid: number
  readonly thread: number
  /** Start time in clock ticks after boot; '' where unknown. */
  readonly started: string
}

/** This process, or rather this thread of it. */
export function thisProcess(): ProcessIdentity {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()) ?? ''
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? ''
  return { boot, namespace, pid: process.pid, thread: threadId, started: startOf(process.pid) ?? '' }
}

/**
 * Whether `other` lives. `isSilent`: it was not heard of for so long that it counts as dead where it cannot be asked about.
 * A thread of this very process other than this one counts as alive while it is not silent.
 */
export function isAlive(other: ProcessIdentity, me: ProcessIdentity, isSilent: boolean): boolean {
  if (other.boot !== me.boot) return false
  if (other.namespace !== me.namespace) return !isSilent
  if (me.started === '') return !isSilent && isRunning(other.pid)
  if (startOf(other.pid) !== other.started) return false
  return other.pid !== me.pid || other.thread === me.thread || !isSilent
}

/** Start time of a process that runs; undefined for one that is gone or a zombie. Field 22 of proc_pid_stat(5); the name in field 2 may contain spaces. */
function startOf(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
