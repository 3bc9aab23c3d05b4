// Group commit: turns of many hosts in one transaction. One commit is under way at a time; what comes meanwhile forms the next group.
//
// A group closes at 64 turns, 20 ms after its first turn, or at once when a slot is free and nothing is ready: cheap when busy, prompt when
// idle. A transaction stops the event loop, so one takes a thousand new rows at most, and waits for a turn of the loop that has room. A turn with more links
// than that is committed alone, its first links ahead of it, a thousand at a time: each is a URL that the crawl may know of, whether or not its page is
// done, and what is known is taken once. Its outcome, its items and the last of its links are one transaction, so a crash between leaves the page waiting. Each host's changed memory rides on its last turn of the group, so no memory is ever older than the outcomes beside it. When the
// store cannot be written the group waits in `StoreCalls`, and what was committed before is whole.
import type { Clock } from '../clock.ts'
import type { CommitResult, Frontier, Turn } from '../frontier.ts'
import type { NewRequest } from '../request.ts'
import type { Memories } from '../hosts/memories.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import type { StoreCalls } from './store-calls.ts'
import type { TurnDraft } from './turn-draft.ts'

const GROUP_TURNS = 64
const GROUP_MS = 20
/** Links and items of one transaction: some 15 ms. */
const GROUP_ROWS = 1_000
/** What a turn is beside them: outcome, memory, its host's row. */
const ROWS_A_TURN = 3

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
  readonly #loop: LoopBudget
  readonly #ears: CommitEars
  #turns: TurnDraft[] = []
  #committing = 0
  #timer: Disposable | undefined
  #dead = false

  constructor(parts: {
    readonly settings: { readonly frontier: Frontier; readonly clock: Clock; readonly loop: LoopBudget }
    readonly calls: StoreCalls
    readonly memories: Memories
    readonly ears: CommitEars
  }) {
    this.#frontier = parts.settings.frontier
    this.#calls = parts.calls
    this.#memories = parts.memories
    this.#clock = parts.settings.clock
    this.#loop = parts.settings.loop
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
    const drafts = this.#turns.splice(0, this.#groupSize())
    this.#committing = drafts.length
    const cost = COST.row * Math.min(GROUP_ROWS, sumOf(drafts, rowsOf))
    this.#loop
      .whenRoom(cost, () => this.#commit(drafts))
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

  /** How many of the turns that wait go together. */
  #groupSize(): number {
    let rows = 0
    const end = this.#turns.findIndex((draft, index) => {
      rows += rowsOf(draft)
      return index === GROUP_TURNS || (index > 0 && rows > GROUP_ROWS)
    })
    return end === -1 ? this.#turns.length : end
  }

  async #commit(drafts: readonly TurnDraft[]): Promise<void> {
    const [first] = drafts
    if (first !== undefined && first.links.length > GROUP_ROWS) return this.#commitLarge(first)
    const turns = this.#turnsOf(drafts)
    const results = await this.#calls.make('commit', () => this.#frontier.commit(turns))
    results.forEach((result, index) => {
      const draft = drafts[index]
      const turn = turns[index]
      if (draft === undefined || turn === undefined) return
      if (result.status !== 'committed') this.#memories.notWritten(draft.host, turn)
      this.#ears.committed(draft, result)
    })
  }

  /** Links first, then the turn with the last of them. What would not take the links does not get the turn. */
  async #commitLarge(draft: TurnDraft): Promise<void> {
    const { links } = draft
    let ahead: CommitResult = { status: 'committed', gained: [], added: 0, known: 0 }
    let at = 0
    for (; links.length - at > GROUP_ROWS; at += GROUP_ROWS) {
      const result = await this.#commitLinks(draft.host, links.slice(at, at + GROUP_ROWS))
      ahead = both(ahead, result)
      if (result.status !== 'committed') return this.#ears.committed(draft, ahead)
      await this.#loop.room(COST.row * GROUP_ROWS)
    }
    const turns = this.#turnsOf([{ ...draft, links: links.slice(at) }])
    const [turn] = turns
    const [result] = await this.#calls.make('commit', () => this.#frontier.commit(turns))
    if (result === undefined || turn === undefined) return
    if (result.status !== 'committed') this.#memories.notWritten(draft.host, turn)
    this.#ears.committed(draft, both(ahead, result))
  }

  async #commitLinks(host: LiveHost, links: readonly NewRequest[]): Promise<CommitResult> {
    const turn = { visit: host.token, links, items: [] }
    const [result] = await this.#calls.make('commit', () => this.#frontier.commit([turn]))
    return result ?? { status: 'fenced', gained: [], added: 0, known: 0 }
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

function rowsOf({ links, items }: TurnDraft): number {
  return ROWS_A_TURN + links.length + items.length
}

function sumOf<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0)
}

/** What two transactions of one turn came to. */
function both(ahead: CommitResult, last: CommitResult): CommitResult {
  return {
    ...last,
    gained: [...ahead.gained, ...last.gained],
    added: ahead.added + last.added,
    known: ahead.known + last.known,
  }
}
