// Ends tabs that take too much memory: what scripts hold outside of the heap of V8, which has a limit of its own, only the machine would limit.
//
// Looks twice a second while pages are built. A tab that is ended crashes its page, and that one only. On systems without /proc it does nothing.
import { readFile } from 'node:fs/promises'
import type { Clock } from '@avocet/core/store'
import type { Launched } from './launch.ts'
import { ignored } from './unless-late.ts'

const LOOK_EVERY_MS = 500
/** Of a tab. Pages of the largest sites stay below 600 MB, pictures included. */
const MAX_TAB_BYTES = 1.5 * 2 ** 30
/** Linux counts in these on all machines that Chromium is built for but some of arm64, where they are larger. */
const PAGE_BYTES = 4_096

/** Watches the tabs of a browser until it is disposed. */
export function watchTabs(launched: Pick<Launched, 'tabs'>, clock: Clock, maxBytes: number = MAX_TAB_BYTES): Disposable {
  let timer: Disposable | undefined
  let isOver = false
  const look = async (): Promise<void> => {
    const tabs = (await launched.tabs().catch(ignored)) ?? []
    await Promise.all(tabs.map((pid) => endIfLarge(pid, maxBytes)))
    if (!isOver) later()
  }
  const later = (): void => {
    timer = clock.at(clock.now() + LOOK_EVERY_MS, () => void look())
  }
  if (process.platform === 'linux') later()
  return {
    [Symbol.dispose]() {
      isOver = true
      timer?.[Symbol.dispose]()
    },
  }
}

/** Only what still is a tab: its number may be another's by now. */
async function endIfLarge(pid: number, maxBytes: number): Promise<void> {
  const resident = Number((await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')).split(' ')[1])
  if (!(resident * PAGE_BYTES > maxBytes)) return
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (line.includes('--type=renderer'))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
}
