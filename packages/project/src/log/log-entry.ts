// One event of a crawl as its log has it: a JSON object a line, whose first four fields every line has.

/** From the rarest to the most frequent. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

/** How much is said; each says what those before it say. */
export type LogLevel = (typeof LOG_LEVELS)[number]

const LOUDNESS = { error: 0, warn: 1, info: 2, debug: 3 } as const satisfies Record<LogLevel, number>

/** Whether a line of the level `of` is said at `level`. */
export function isSaid(of: LogLevel, level: LogLevel): boolean {
  return LOUDNESS[of] <= LOUDNESS[level]
}

/** What an event says beside its message. Names do not change their meaning; new ones come. */
export interface LogFields {
  /** What happened. Default: `notice`. */
  readonly event?: string
  /** Default: the line that a person gets. */
  readonly message?: string
  /** When it happened, epoch ms. Default: now. */
  readonly at?: number
  readonly host?: string
  readonly url?: string
  readonly parent?: string
  readonly status?: number
  readonly code?: string
  readonly durationMs?: number
  readonly reason?: string
  /** Epoch ms. */
  readonly until?: number
  /** Of several: which one said it. */
  readonly process?: number
  /** Counts of an opening, of the progress and of the end, by name. */
  readonly counts?: Readonly<Record<string, number>>
}

/** One event. */
export interface LogEntry extends LogFields {
  readonly level: LogLevel
  readonly message: string
}

/** Its line, without an end. `now`: epoch ms. */
export function logRecord({ level, event = 'notice', message, at, counts, ...fields }: LogEntry, now: number): object {
  return { time: new Date(at ?? now).toISOString(), level, event, message, ...fields, ...counts }
}
