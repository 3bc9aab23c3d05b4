// Group commit: turns of many hosts in one transaction. One commit is under way at a time; what comes meanwhile forms the next group.
//
// A group closes at 64 turns, 20 ms after its first turn, or at once when a slot is free and nothing is ready: cheap when busy, prompt when
// idle. Each host's changed memory rides on its last turn of the group, so no memory is ever older than the outcomes beside it. When the
// store cannot be written the group waits in `StoreCalls`, and what was committed before is whole.
import type { Clock } from '../clock.ts'
import type { CommitResult, Frontier, Turn } from '../frontier.ts'
import type { Memories } from '../memory.ts'
import type { LiveHost } from '../scheduler/live-host.ts'
import type { StoreCalls } from './store-calls.ts'
import type { TurnDraft } from './turn-draft.ts'

const GROUP_TURNS = 64
const GROUP_MS = 20

/** What the crawl does with the results. */
export interface CommitEars {
  committed(draft: TurnDraft, result: CommitResult): void
  /** After all turns of a group. */
  groupDone(): void
  /** The frontier cannot be written. */
  failed(error: unknown): void
}

/** The turns on their way to the frontier. */
export class CommitGroup {
  readonly #frontier: Frontier
  readonly #calls: StoreCalls
  readonly #memories: Memories
  readonly #clock: Clock
  readonly #ears: CommitEars
  #turns: TurnDraft[] = []
  #committing = 0
  #timer: Disposable | undefined
  #dead = false

  constructor(parts: { frontier: Frontier; calls: StoreCalls; memories: Memories; clock: Clock; ears: CommitEars }) {
    this.#frontier = parts.frontier
    this.#calls = parts.calls
    this.#memories = parts.memories
    this.#clock = parts.clock
    this.#ears = parts.ears
  }

  /** Turns that are not committed yet. */
  get pending(): number {
    return this.#turns.length + this.#committing
  }

  add(draft: TurnDraft): void {
    this.#turns.push(draft)
    if (this.#turns.length >= GROUP_TURNS) this.flush()
    else this.#closeWithin(GROUP_MS)
  }

  /** Closes the group now, unless one is being committed. */
  flush(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    if (this.#committing > 0 || this.#turns.length === 0 || this.#dead) return
    const drafts = this.#turns.splice(0, GROUP_TURNS)
    this.#committing = drafts.length
    this.#commit(drafts, this.#turnsOf(drafts))
      .catch((error: unknown) => {
        this.#dead = true
        this.#ears.failed(error)
      })
      .finally(() => {
        this.#committing = 0
        if (this.#turns.length > 0) this.flush()
        this.#ears.groupDone()
      })
  }

  #closeWithin(ms: number): void {
    this.#timer ??= this.#clock.at(this.#clock.now() + ms, () => this.flush())
  }

  async #commit(drafts: readonly TurnDraft[], turns: readonly Turn[]): Promise<void> {
    const results = await this.#calls.make('commit', () => this.#frontier.commit(turns))
    results.forEach((result, index) => {
      const draft = drafts[index]
      const turn = turns[index]
      if (draft === undefined || turn === undefined) return
      if (result.status !== 'committed') this.#memories.notWritten(draft.host, turn)
      this.#ears.committed(draft, result)
    })
  }

  /** Turns as the frontier takes them: memory on the last turn of each host, crawl memory on the last of all. */
  #turnsOf(drafts: readonly TurnDraft[]): Turn[] {
    const lastOf = new Map<LiveHost, TurnDraft>()
    for (const draft of drafts) lastOf.set(draft.host, draft)
    const crawlMemory = this.#memories.changedCrawl()
    return drafts.map((draft, index) => {
      const memory = lastOf.get(draft.host) === draft ? this.#memories.changedHost(draft.host) : undefined
      return {
        visit: draft.host.token,
        links: draft.links,
        items: draft.items,
        ...(draft.request && { requestId: draft.request.id }),
        ...(draft.outcome && { outcome: draft.outcome }),
        ...(memory && { memory }),
        ...(crawlMemory && index === drafts.length - 1 && { crawlMemory }),
      }
    })
  }
}
