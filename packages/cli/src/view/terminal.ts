// Whether this process may use its terminal: a job in the background that draws over the shell is a nuisance.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** True also where nobody can tell, and where no terminal controls this process. */
export function isInForeground(): boolean {
  if (process.platform === 'win32') return true
  try {
    return process.platform === 'linux' ? isLeading(readFileSync('/proc/self/stat', 'utf8')) : isMarked()
  } catch {
    return true
  }
}

/**
 * Whether a text of /proc/PID/stat is of a process in the foreground. Fields 5 and 8 of proc_pid_stat(5): its process group, and the one in the
 * foreground; -1 = no terminal. The name before them may hold anything.
 */
export function isLeading(stat: string): boolean {
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return foreground === '-1' || group === foreground
}

/** A plus in the state of ps(1), as on BSD and macOS. */
function isMarked(): boolean {
  return execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8', timeout: 1_000 }).includes('+')
}
