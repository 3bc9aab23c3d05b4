// Whether a pipe still has a reader, without writing to it: what nobody reads is lost, and a pipe takes it without a word.
//
// A write fails once the last reader has gone, but behind the last write nothing does. Node has no poll(2), and of a pipe without a name the end for writing
// opens always (fifo(7) knows ENXIO for named ones only). So this looks into /proc (proc(5)) for a process that has the other end open, which takes a few
// milliseconds. The files of other users' processes cannot be seen: a reader that runs as one of them (`| sudo tee`) is never taken for gone. Without /proc,
// and of a socket, nothing is known.
import { fstatSync } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'

/** More open files than this are not looked at: a reader may be behind them. */
const MAX_FILES = 100_000

/** Owner may read, in the mode of a link in /proc/PID/fd: what is open there is open for reading. */
const OPEN_FOR_READING = 0o400

/** Processes by their ids. */
interface Seen {
  readonly readers: ReadonlySet<string>
  /** May be readers. */
  readonly hidden: ReadonlySet<string>
}

/** The readers of one pipe. */
export class PipeReaders {
  readonly #name: string
  readonly #first: Seen

  private constructor(name: string, first: Seen) {
    this.#name = name
    this.#first = first
  }

  /** Looks at who reads from `fd`; undefined where it is no pipe, or nothing can be known. */
  static async of(fd: number): Promise<PipeReaders | undefined> {
    if (!fstatSync(fd).isFIFO()) return undefined
    const name = await readlink(`/proc/self/fd/${fd}`).catch(() => undefined)
    const first = name === undefined ? undefined : await seenAt(name)
    return name !== undefined && first !== undefined ? new PipeReaders(name, first) : undefined
  }

  /** Certain when true: there is no reader, and those that there were when this was made have gone. */
  async haveGone(): Promise<boolean> {
    const now = await seenAt(this.#name)
    if (now === undefined || now.readers.size > 0) return false
    if (now.hidden.size === 0) return true
    const { readers } = this.#first
    // A program of another user that a reader became (`exec sudo`) has its id.
    return readers.size > 0 && [...readers].every((id) => !now.hidden.has(id))
  }
}

/** Undefined where there is no /proc, or too much in it. */
async function seenAt(name: string): Promise<Seen | undefined> {
  const [readers, hidden] = [new Set<string>(), new Set<string>()]
  let left = MAX_FILES
  for (const id of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(id)) continue
    const files = await readdir(`/proc/${id}/fd`).catch(codeOf)
    if (typeof files === 'string') {
      // Without a file, or gone meanwhile.
      if (files !== 'ENOENT' && files !== 'ESRCH') hidden.add(id)
      continue
    }
    left -= files.length
    if (left < 0) return undefined
    if (
      await readsOneOf(
        files.map((file) => `/proc/${id}/fd/${file}`),
        name,
      )
    )
      readers.add(id)
  }
  return left === MAX_FILES ? undefined : { readers, hidden }
}

async function readsOneOf(paths: readonly string[], name: string): Promise<boolean> {
  const targets = await Promise.all(paths.map((path) => readlink(path).catch(() => undefined)))
  const same = paths.filter((_path, index) => targets[index] === name)
  const modes = await Promise.all(
    same.map((path) =>
      lstat(path).then(
        ({ mode }) => mode,
        () => 0,
      ),
    ),
  )
  return modes.some((mode) => (mode & OPEN_FOR_READING) !== 0)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
