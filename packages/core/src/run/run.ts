// What all parts of a run have in common: they live as long as it does.
import type { CommitResult } from '../ports/frontier.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Revisits } from '../hooks/revisits.ts'
import type { Stations } from '../hooks/stations.ts'
import type { Memories } from '../hosts/memories.ts'
import type { Pause } from './pause.ts'
import type { Deliveries } from '../ports/ports.ts'
import type { StoreCalls } from './store-calls.ts'
import type { TenureWatch } from './tenure-watch.ts'
import type { Settings } from './settings.ts'
import type { CrawlStatus } from '../ports/report.ts'
import type { Tally } from './tally.ts'

/** The common parts of a run. */
export interface Run {
  readonly settings: Settings
  readonly hooks: CrawlHooks
  readonly memories: Memories
  readonly stations: Stations
  readonly tally: Tally
  readonly pause: Pause
  readonly calls: StoreCalls
  readonly sinks: Deliveries
  readonly revisits: Revisits
  /** Whether what is held may be requested. */
  readonly tenure: TenureWatch
  readonly besides: Besides
  /** How far it is. */
  status(): CrawlStatus
  /** The store has more for these hosts. */
  gained(gains: CommitResult['gained']): void
  /** Something that was waited for is there: more may begin, or the crawl may be over. */
  goOn(): void
  /** An operator has ordered the end; `now`: what is in flight is not waited for. */
  stop(now: boolean): void
  /** The crawl cannot continue. */
  fail(error: unknown): void
}

/** What a crawl does in the store beside its pages: it is not over meanwhile. */
export class Besides {
  readonly #run: Pick<Run, 'fail' | 'goOn'>
  #underWay = 0

  constructor(run: Pick<Run, 'fail' | 'goOn'>) {
    this.#run = run
  }

  get busy(): boolean {
    return this.#underWay > 0
  }

  /** Begins it; resolves when it has ended. The crawl fails with what it rejects with. */
  begin(work: () => Promise<void>): Promise<void> {
    this.#underWay++
    return work()
      .catch((error: unknown) => this.#run.fail(error))
      .finally(() => {
        this.#underWay--
        this.#run.goOn()
      })
  }
}

/**
 * The dice of a crawl, a pure function of its seed and of what is decided, so that chance commutes and survives a restart.
 *
 * A number in [0, 1) that depends on `text` alone: jitter needs an even spread and independence of like texts, not secrecy. FNV-1a over the characters,
 * then the finaliser of MurmurHash3, so that texts which differ in their last character are far apart; a tenth of what SHA-1 costs.
 */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
