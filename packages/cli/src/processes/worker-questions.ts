// Questions of a supervisor to its workers, and for how long it waits for answers.
//
// All workers are asked at once. One that does not answer in time, because it is busy, stopped or asleep, is left out: the others are shown without it, its
// answer counts when it comes, and until then it is asked without being waited for. Few questions are ever unanswered: what is sent to a process that
// reads nothing stays in the memory of this one.
import type { Clock } from '@avocet/core/store'
import type { WorkerAnswer, PageQuestion } from './page-questions.ts'
import type { FromWorker, ToWorker } from './process-messages.ts'

/** A person does not notice it; the handler of a large page may take as long. */
const PATIENCE_MS = 500
/** Of one worker: a few for each of eight pages, 200 KB at most. */
const MAX_UNANSWERED = 32

interface Parts {
  readonly clock: Clock
  send(message: ToWorker, number: number): void
}

/** A question that was not answered by all. */
interface OpenQuestion {
  /** Monotonic ms. */
  readonly askedAt: number
  readonly awaited: Set<number>
  readonly unanswered: Set<number>
  heard(number: number, answer: WorkerAnswer): void
  /** Nobody is waited for any more. */
  goOn(): void
}

/** The questions of one supervisor. */
export class WorkerQuestions {
  readonly #parts: Parts
  /** Workers that have opened the store, and the questions that each has not answered. */
  readonly #workers = new Map<number, Set<number>>()
  readonly #open = new Map<number, OpenQuestion>()
  #last = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Asks all workers. Resolves when all have answered that can be expected to, or when the time for it is over. */
  async ask(question: PageQuestion, heard: OpenQuestion['heard']): Promise<void> {
    const { clock, send } = this.#parts
    const asked = [...this.#workers].flatMap(([number, open]) => (open.size < MAX_UNANSWERED ? [number] : []))
    if (asked.length === 0) return
    const id = ++this.#last
    const { promise, resolve: goOn } = Promise.withResolvers<void>()
    const awaited = new Set(asked.filter((number) => !this.#isLate(number)))
    this.#open.set(id, { askedAt: clock.monotonic(), awaited, unanswered: new Set(asked), heard, goOn })
    for (const number of asked) {
      this.#workers.get(number)?.add(id)
      send({ kind: 'ask', id, question }, number)
    }
    if (awaited.size === 0) return
    using _patience = clock.at(clock.now() + PATIENCE_MS, goOn)
    await promise
  }

  /** A worker has said something. */
  heard(number: number, message: FromWorker): void {
    if (message.kind === 'opened') this.#workers.set(number, new Set())
    else if (message.kind === 'ended') this.gone(number)
    else if (message.kind === 'answer') {
      this.#open.get(message.id)?.heard(number, message.answer)
      this.#settle(message.id, number)
    }
  }

  /** A worker has died, or answers no more. */
  gone(number: number): void {
    for (const id of this.#workers.get(number) ?? []) this.#settle(id, number)
    this.#workers.delete(number)
  }

  #settle(id: number, number: number): void {
    this.#workers.get(number)?.delete(id)
    const open = this.#open.get(id)
    if (open === undefined) return
    open.unanswered.delete(number)
    open.awaited.delete(number)
    if (open.awaited.size === 0) open.goOn()
    if (open.unanswered.size === 0) this.#open.delete(id)
  }

  /** Whether it has let the time for an answer pass. */
  #isLate(number: number): boolean {
    const since = this.#parts.clock.monotonic() - PATIENCE_MS
    return [...(this.#workers.get(number) ?? [])].some((id) => (this.#open.get(id)?.askedAt ?? Infinity) <= since)
  }
}
