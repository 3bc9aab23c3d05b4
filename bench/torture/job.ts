// What a tortured process is told, and what it says before it ends: one JSON text each.

/** What happens at a fail point. Errors by their own codes; `short` writes half of what was to be written. */
export type Deed =
  | 'kill'
  | 'interrupt'
  | 'SQLITE_FULL'
  | 'SQLITE_IOERR_WRITE'
  | 'SQLITE_BUSY'
  | 'ENOSPC'
  | 'EIO'
  | 'EACCES'
  | 'short'

/** One thing that happens to one process. */
export interface Shot {
  readonly point: string
  /** The how-many-eth time the point is reached in the life of the process, from 1. */
  readonly nth: number
  readonly when: 'before' | 'after'
  readonly deed: Deed
  /** From then on each time, not only once. */
  readonly forEver: boolean
  /** SQLite rolls the transaction back by itself, as it may do for a full disk and an I/O error. */
  readonly rollsBack: boolean
}

/** What a process does. */
export type Work =
  | 'crawl'
  /** Beside another process, on the machine's clock. */
  | 'share'
  /** Visits each page three times. */
  | 'again'
  /** Runs on the store of a crawl that has ended, with seeds and links that ask for each page again: in each life. */
  | 'asked'
  /** `avocet failed retry`, of all classes. */
  | 'retry'
  /** What a sink does with an item that it refused, and gets again. */
  | 'rejects'
  /** Knows so many URLs that the next ones have the index of known URLs merged. */
  | 'many'
  /** Adds those. */
  | 'index'

/** One life of a process. */
export interface Job {
  readonly work: Work
  readonly folder: string
  /** Where its trace goes, and its name in the log of requests. */
  readonly life: string
  /** Epoch ms at which its virtual clock begins. */
  readonly startAt: number
  readonly shots: readonly Shot[]
  /** Without: nothing is exported. */
  readonly exports: boolean
  /** A folder for what a kill would leave; the process itself lives on. Absent: it is killed. */
  readonly cutTo?: string
}

/** What a process leaves behind. */
export interface Trace {
  /** How often each point was reached. */
  readonly reached: Readonly<Record<string, number>>
  /** Shots that happened. */
  readonly fired: number
  /** Epoch ms of its clock at the end. */
  readonly now: number
  /** Writes that have no name in the table of points. */
  readonly nameless: readonly string[]
}
