// Messages between the command and the processes of its crawl, over a channel that uses structured clone (so Infinity and dates survive).
import { AvocetError, type CrawlReport } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import type { LogEntry, LogFields, LogLevel } from '@avocet/project/log'
import type { CrawlOptions } from '@avocet/project/options'

/** The part of one process. */
export interface WorkerPart {
  /** 1, 2, …: its name in messages. */
  readonly number: number
  /** How many there are. */
  readonly of: number
  /** As they were typed, without what only the command does. */
  readonly options: CrawlOptions
  /** Whether it prints what is printed once: what is resumed, how hosts are treated. */
  readonly tells: boolean
  /** When `--max-time` ends the crawl, epoch ms. Absent: never. */
  readonly endsAt?: number
}

/** The part of process `number` of `of` in a whole number: the parts add up to it, and differ by at most one. */
export function partOf(whole: number, { number, of }: Pick<WorkerPart, 'number' | 'of'>): number {
  return Math.floor(whole / of) + (number <= whole % of ? 1 : 0)
}

/** To a process. */
export type ToWorker =
  | { readonly kind: 'part'; readonly part: WorkerPart }
  /** It may open the store: the first has. */
  | { readonly kind: 'open' }
  | { readonly kind: 'stop'; readonly recallMs?: number }
  | { readonly kind: 'abort' }

/** An error as the channel carries it. */
export interface SentError {
  readonly code: AvocetError['code']
  readonly message: string
}

/** The error to send. */
export function sentError(error: unknown): SentError {
  return { code: error instanceof AvocetError ? error.code : 'AVO_INTERNAL', message: messageOf(error) }
}

/** From a process. */
export type FromWorker =
  /** `resumed`: it found a crawl in the store. */
  | { readonly kind: 'opened'; readonly resumed: boolean }
  /** It lives, and has done this in its run. */
  | ({ readonly kind: 'alive' } & Pick<CrawlReport, 'run' | 'seeds'>)
  | { readonly kind: 'said'; readonly line: string; readonly level: LogLevel; readonly fields: LogFields }
  /** For the log alone. */
  | { readonly kind: 'logged'; readonly entry: LogEntry }
  | { readonly kind: 'ended'; readonly report: CrawlReport; readonly outputError?: SentError }
  /** It could not begin. */
  | { readonly kind: 'failed'; readonly error: SentError }
