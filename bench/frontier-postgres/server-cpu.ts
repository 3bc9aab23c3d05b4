// CPU of a PostgreSQL server in seconds: user and system time of all its processes, those that have ended included. Linux only: it is read from /proc.
import { readdirSync, readFileSync } from 'node:fs'

/** Ticks of a second in /proc (USER_HZ): 100 on every Linux that Node runs on. */
const TICKS = 100

/** The process that started `pid`: of a server process, the postmaster. */
export function parentOf(pid: number): number {
  return fieldsOf(pid)?.[1] ?? 0
}

/** Seconds until now of the postmaster and its children. Those that end are counted in the postmaster's own row (cutime, cstime). */
export function serverCpuSeconds(postmaster: number): number {
  const ticks = readdirSync('/proc').reduce((sum, name) => {
    const fields = /^\d+$/.test(name) ? fieldsOf(Number(name)) : undefined
    if (fields === undefined || (Number(name) !== postmaster && fields[1] !== postmaster)) return sum
    const [utime = 0, stime = 0, ofEndedUtime = 0, ofEndedStime = 0] = fields.slice(11, 15)
    return sum + utime + stime + ofEndedUtime + ofEndedStime
  }, 0)
  return ticks / TICKS
}

/** Numbers of /proc/PID/stat from the state on, which is none (man 5 proc); undefined once it is gone. */
function fieldsOf(pid: number): readonly number[] | undefined {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return undefined
  }
}
