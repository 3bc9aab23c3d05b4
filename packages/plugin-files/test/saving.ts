// Plays one exchange to a saver, as a fetcher does.
import type { Failure, ResponseHead, SavedBody } from '@avocet/core/plugin'
import { FileSaver, type SavingWish } from '../src/file-saver.ts'
import { FilesFolder } from '../src/files-folder.ts'
import type { Disk } from '../src/disk.ts'

/** 2026-11-24, noon. */
export const NOON: number = Date.UTC(2026, 10, 24, 12)
/** Of the one request of these tests. */
export const KEY = '0123456789abcdef0123456789abcdef'

/** What the server does. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: readonly Uint8Array[]
  /** It ends before its body does. */
  readonly isCut?: boolean
}

/** How it went. */
export interface Saved {
  /** What was asked for. */
  readonly sent: Readonly<Record<string, string>>
  readonly outcome: SavedBody | Failure | 'read' | 'aborted'
}

/** A folder as a new process has it. */
export function folderAt(root: string, disk?: Disk, mine: Set<string> = new Set()): FilesFolder {
  return new FilesFolder(root, { now: () => NOON, mine, ...(disk && { disk }) })
}

/** One exchange. */
export async function save(folder: FilesFolder, answer: Answer, wish: Partial<SavingWish> = {}): Promise<Saved> {
  const left = await folder.find(KEY)
  const saver = new FileSaver(folder, { key: KEY, maxBytes: 2 ** 30, troubled: () => undefined, left, ...wish })
  const sent = saver.headers
  const accepted = saver.accepts(headOf(answer))
  if (accepted !== 'save') {
    await folder.settled()
    return { sent, outcome: accepted }
  }
  for (const piece of answer.body ?? []) {
    const taken = saver.write(piece)
    const trouble = typeof taken === 'object' ? taken : taken ? undefined : await drained(saver)
    if (trouble === undefined) continue
    saver.abort()
    await folder.settled()
    return { sent, outcome: trouble }
  }
  if (answer.isCut === true) {
    saver.abort()
    await folder.settled()
    return { sent, outcome: 'aborted' }
  }
  const outcome = await new Promise<SavedBody | Failure>((done) => saver.end(done))
  await folder.settled()
  return { sent, outcome }
}

/** When there is room again. */
export function drained(saver: FileSaver): Promise<Failure | undefined> {
  return new Promise((done) => saver.drained(done))
}

function headOf({ status = 200, headers = {} }: Answer): ResponseHead {
  return { status, headers }
}
