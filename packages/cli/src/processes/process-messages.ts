// Messages between the supervisor of a crawl and its processes, over a channel that uses structured clone (so Infinity and dates survive).
import type { AvocetError, CrawlReport } from '@avocet/core'
import type { CrawlInfo } from '@avocet/core/store'
import type { ToldMetrics } from '@avocet/metrics'
import type { LogEntry, LogFields, LogLevel } from '../log/log-entry.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { Scene } from '../view/scene.ts'
import type { SecondCounts } from '../view/second-ring.ts'
import type { ViewWishes } from '../view/view-wishes.ts'
import type { Committed } from './committed.ts'
import type { WorkerAnswer, PageQuestion } from './page-questions.ts'

/** The part of one process. */
export interface WorkerPart {
  /** 1, 2, …: its name in messages. */
  readonly number: number
  /** How many there are. */
  readonly of: number
  /** As they were typed, with the share of this process in what is shared. */
  readonly options: CrawlOptions
  /** Whether it prints what is printed once: what is resumed, how hosts are treated. */
  readonly tells: boolean
  /** When `--max-time` ends the crawl, epoch ms. Absent: never. */
  readonly endsAt?: number
  /** The first pages that it is granted of `maxPages`, where there is one. */
  readonly pages?: number
  /** Whether the supervisor serves a page, and may ask for what it shows. */
  readonly hasPage: boolean
}

/** To a process. */
export type ToWorker =
  | { readonly kind: 'part'; readonly part: WorkerPart }
  /** It may open the store: the first has. */
  | { readonly kind: 'open' }
  | { readonly kind: 'stop'; readonly silentMs?: number }
  | { readonly kind: 'abort' }
  /** Without `why`: resume. */
  | { readonly kind: 'pause'; readonly why?: string }
  | { readonly kind: 'granted'; readonly pages: number }
  | { readonly kind: 'give-back' }
  | { readonly kind: 'spent' }
  /** All have finished: deliver the last items to sinks. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'look'; readonly room: number; readonly wishes: ViewWishes }
  /** Hosts that metrics show by name. */
  | { readonly kind: 'name-hosts'; readonly hostKeys: readonly string[] }
  /** For the page, while somebody looks. */
  | { readonly kind: 'ask'; readonly id: number; readonly question: PageQuestion }
  /** Its text was written to standard output, or failed with `error`. */
  | { readonly kind: 'taken'; readonly error?: SentError }

/** What a store had in all as a process opened it. */
export type TotalsAtOpen = Pick<CrawlInfo, 'known' | 'waiting' | 'settled' | 'done' | 'moved' | 'failed' | 'items'>

/** What one process has shown last. */
export interface ProcessScene {
  readonly scene: Scene
  /** As it opened the store. */
  readonly opened: TotalsAtOpen
}

/** An error as the channel carries it. */
export interface SentError {
  readonly code: AvocetError['code']
  readonly message: string
}

/** From a process. */
export type FromWorker =
  | { readonly kind: 'opened'; readonly totals: TotalsAtOpen; readonly resumed: boolean }
  /** `ended`: what ended since the last one, where there is a page. */
  | {
      readonly kind: 'scene'
      readonly scene: Scene
      readonly handled: number
      readonly metrics?: ToldMetrics
      readonly ended?: readonly SecondCounts[]
    }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: WorkerAnswer }
  /** `isCommon`: the others may say the same. */
  | {
      readonly kind: 'said'
      readonly line: string
      readonly isCommon: boolean
      readonly level: LogLevel
      readonly fields: LogFields
    }
  /** For the log alone. */
  | { readonly kind: 'logged'; readonly entry: LogEntry }
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'short-of-pages'; readonly handled: number }
  | { readonly kind: 'gave-back'; readonly pages: number; readonly handled: number }
  /** The group that it is about to commit, or has committed: its pages that count for a maximum of pages, and what it adds to the counts of the run. */
  | { readonly kind: 'committing' | 'committed'; readonly pages: number; readonly did: Committed }
  | { readonly kind: 'over'; readonly handled: number }
  /** Nothing more can be written to an output; its run stops. */
  | { readonly kind: 'output-failed'; readonly error: SentError }
  | {
      readonly kind: 'ended'
      readonly report: CrawlReport
      readonly outputError?: SentError
    }
  /** It could not begin. */
  | { readonly kind: 'failed'; readonly error: SentError }
