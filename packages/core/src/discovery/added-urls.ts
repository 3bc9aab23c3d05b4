// URLs that plugins add while they are asked: checked where they are given, so that the plugin hears of it, and bounded.
import { AvocetError } from '../values/errors.ts'
import type { NewRequest } from '../ports/request.ts'
import type { Run } from '../run/run.ts'
import type { Seed } from '../ports/seed.ts'
import type { Discoveries } from './discovery.ts'
import { checkedSeed, type CheckedSeed } from './seeds.ts'

/** Collects them during one call. */
export class AddedUrls {
  readonly seeds: CheckedSeed[] = []
  readonly #run: Pick<Run, 'settings' | 'tally'>
  readonly #most: number
  #isClosed = false

  constructor(run: Pick<Run, 'settings' | 'tally'>, most: number) {
    this.#run = run
    this.#most = most
  }

  /** Throws AVO_SEED_INVALID, and AVO_PLUGIN_INVALID for too many or too late. */
  add(seed: Seed): void {
    const problem = this.#isClosed ? 'the call was over' : this.seeds.length >= this.#most ? `more than ${this.#most}` : undefined
    if (problem !== undefined)
      throw new AvocetError(
        'AVO_PLUGIN_INVALID',
        `expected at most ${this.#most} URLs in add(), within the call, got one when it was not possible: ${problem}`,
      )
    this.seeds.push(checkedSeed(seed, this.#run.settings))
  }

  /** Nothing is added any more. */
  close(): void {
    this.#isClosed = true
  }

  /** As the frontier takes them; what is refused is said. */
  requests(discoveries: Discoveries): readonly NewRequest[] {
    return this.seeds.flatMap(({ seed, url }) => {
      const request = discoveries.ofSeed(seed, url)
      if (typeof request !== 'string') return [request]
      this.#run.tally.problem(
        `${url}, which a plugin added, is refused and not requested (${request}); change the scope or the plugin`,
        `added URLs are refused (${request})`,
      )
      return []
    })
  }
}
