// How many of a host's last answers were refusals: counts that fade, so that no moments are kept. Of an answer e^-1 is left after an hour.

/** Host memory. */
export interface RecentAnswers {
  /** Epoch ms of the last answer. */
  at: number
  /** RecentAnswers, and refusals among them, as of then. */
  all: number
  refused: number
}

/** Memory of a host that was never met. */
export function noAnswers(): RecentAnswers {
  return { at: 0, all: 0, refused: 0 }
}

const FADES_MS = 3_600_000

/** One more answer, at `now`, epoch ms. */
export function countAnswer(memory: RecentAnswers, isRefused: boolean, now: number): void {
  const { all, refused } = faded(memory, now)
  Object.assign(memory, { at: Math.round(now), all: rounded(all + 1), refused: rounded(refused + (isRefused ? 1 : 0)) })
}

/** What is left of them at `now`, epoch ms. */
export function faded({ at, all, refused }: RecentAnswers, now: number): RecentAnswers {
  const left = Math.exp(-Math.max(0, now - at) / FADES_MS)
  return { at: now, all: all * left, refused: refused * left }
}

/** Short as JSON: it is compared with each commit. */
function rounded(count: number): number {
  return Math.round(count * 100) / 100
}
