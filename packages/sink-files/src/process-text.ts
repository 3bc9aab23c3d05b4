// How a lock names a process: by its id and when it started, so that one whose id is in use again is not taken for it.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** Id and start time of a live process (`/proc/PID/stat`, field 22; elsewhere only that it lives); undefined for one that does not. */
export async function processText(processId: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return existsSync('/proc/self/stat') || !lives(processId) ? undefined : `${processId} `
  // The second field is the program's name in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Killed, and not yet waited for by its parent: it writes nothing any more.
  if (fields[0] === 'Z') return undefined
  return `${processId} ${fields[19] ?? ''}`
}

function lives(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
