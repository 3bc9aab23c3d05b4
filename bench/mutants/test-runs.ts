// Test runs in a process of their own, one after the other; one that does not come back is killed with all that it started.
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Outcome } from './test-process.ts'

/** No run takes so long unless it hangs, or loops. */
const LONGEST_MS = 120_000

/** One process for many runs. */
export class TestRuns {
  #child: ChildProcess | undefined

  /** Runs test files until the first test fails. `longestMs`: after that it counts as hanging. */
  async run(job: Job, longestMs: number = LONGEST_MS): Promise<Outcome> {
    this.#child ??= await started()
    const child = this.#child
    const answer = messageOf(child)
    child.send(job)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), longestMs)
    })
    const outcome = await Promise.race([answer, late]).finally(() => clearTimeout(timer))
    if (outcome !== 'late') return outcome as Outcome
    answer.catch(() => {})
    this.close()
    return { kind: 'timed-out', by: `no end after ${String(longestMs / 1_000)} s`, file: '' }
  }

  close(): void {
    const pid = this.#child?.pid
    this.#child = undefined
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  }
}

async function started(): Promise<ChildProcess> {
  // A group of its own: what loops is in a process that vitest started.
  const child = fork(join(import.meta.dirname, 'test-process.ts'), {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await messageOf(child)
  return child
}

/** Its next message. Rejects when it ends without one. */
function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('expected a result of the process that runs the tests, got its end'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}
