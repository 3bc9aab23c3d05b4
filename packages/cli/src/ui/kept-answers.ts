// What the workers of a crawl said last of some things that a page shows, asked anew once a second while it shows them.
//
// What was said a moment ago is shown while a younger answer is on its way, so that a page waits only for what it shows for the first time. What a worker
// said that says nothing more for some seconds is no longer of now; what one said that has died is of the past.
import type { Clock } from '@avocet/core/store'

/** As often as it is asked anew. */
const AGAIN_MS = 1_000
/** So long an answer is of now. */
const FRESH_MS = 5_000

/** How it is asked. */
interface Parts<Answer> {
  readonly clock: Clock
  /** Things of which answers are kept. */
  readonly most: number
  /** Asks all workers, and says what they answer: for each key in its order, undefined for one that knows nothing. Resolves once nobody is waited for. */
  ask(keys: readonly string[], heard: (number: number, answers: readonly (Answer | undefined)[]) => void): Promise<void>
  /** What is left of answers of workers that have died. Absent: nothing. */
  readonly past?: (answers: readonly Answer[]) => Answer
}

/** What was said of one thing. */
export interface HeardAnswers<Answer> {
  /** By workers that live, the latest last. */
  readonly now: readonly Answer[]
  /** The same, with what was said before by those that have died or fell silent. */
  readonly ever: readonly Answer[]
}

interface Kept<Answer> {
  /** Monotonic ms, as all times here. */
  askedAt: number
  /** When nobody was waited for any more. */
  settledAt: number
  pending: Promise<void> | undefined
  readonly last: Map<number, { readonly at: number; readonly answer: Answer }>
  past: readonly Answer[]
}

/** Answers to one kind of question. */
export class KeptAnswers<Answer> {
  readonly #parts: Parts<Answer>
  readonly #kept = new Map<string, Kept<Answer>>()

  constructor(parts: Parts<Answer>) {
    this.#parts = parts
  }

  /** What is known of each of `keys`. */
  async of(keys: readonly string[]): Promise<ReadonlyMap<string, HeardAnswers<Answer>>> {
    const now = this.#parts.clock.monotonic()
    const wanted = keys.map((key) => [key, this.#used(key)] as const)
    this.#askAnew(wanted.filter(([, { pending, askedAt }]) => pending === undefined && now - askedAt >= AGAIN_MS))
    await Promise.all(wanted.flatMap(([, { pending, settledAt }]) => (now - settledAt > FRESH_MS && pending ? [pending] : [])))
    const since = this.#parts.clock.monotonic() - FRESH_MS
    return new Map(wanted.map(([key, kept]) => [key, saidIn(kept, since)]))
  }

  /** A worker has died, or answers no more. */
  gone(number: number): void {
    const { past } = this.#parts
    for (const kept of this.#kept.values()) {
      const last = kept.last.get(number)
      kept.last.delete(number)
      if (last !== undefined && past !== undefined) kept.past = [past([...kept.past, last.answer])]
    }
  }

  /** The least recently used one makes room. */
  #used(key: string): Kept<Answer> {
    const kept = this.#kept.get(key) ?? {
      ...{ askedAt: -Infinity, settledAt: -Infinity, pending: undefined },
      ...{ last: new Map<number, { readonly at: number; readonly answer: Answer }>(), past: [] },
    }
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    const [oldest] = this.#kept.size > this.#parts.most ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
    return kept
  }

  #askAnew(due: readonly (readonly [string, Kept<Answer>])[]): void {
    if (due.length === 0) return
    const { clock, ask } = this.#parts
    const asking = ask(
      due.map(([key]) => key),
      (number, answers) => {
        const at = clock.monotonic()
        for (const [n, [, { last }]] of due.entries()) {
          const answer = answers[n]
          last.delete(number)
          if (answer !== undefined) last.set(number, { at, answer })
        }
      },
    )
    const pending = asking.finally(() => {
      const settledAt = clock.monotonic()
      for (const [, kept] of due) Object.assign(kept, { settledAt, pending: undefined })
    })
    // Said to those who wait for it; the others have the answers of before.
    pending.catch(() => undefined)
    for (const [, kept] of due) Object.assign(kept, { askedAt: clock.monotonic(), pending })
  }
}

function saidIn<Answer>({ last, past }: Kept<Answer>, since: number): HeardAnswers<Answer> {
  const all = [...last.values()].sort((a, b) => a.at - b.at)
  return {
    now: all.filter(({ at }) => at > since).map(({ answer }) => answer),
    ever: [...past, ...all.map(({ answer }) => answer)],
  }
}
