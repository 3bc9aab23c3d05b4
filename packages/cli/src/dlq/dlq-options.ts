// What can be typed behind `avocet dlq`.
import type { DeadLetterClass } from '@avocet/core/tools'

/** What is done with given-up pages. */
export type DlqAction = 'list' | 'retry' | 'drop'

/** What was typed. */
export interface DlqOptions {
  readonly action: DlqAction
  readonly store?: string
  /** Absent: every class but dropped, or, to retry, those of temporary failures. */
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
  /** This page alone; in WHATWG form. */
  readonly url?: string
  readonly limit: number
  readonly json: boolean
}
