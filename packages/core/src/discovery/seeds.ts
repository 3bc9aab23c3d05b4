// Reads a spider's seeds, checks each, and offers them to the frontier in batches.
import { AvocetError, messageOf } from '../values/errors.ts'
import type { NewRequest } from '../ports/request.ts'
import { shown } from '../values/shown.ts'
import type { Seed } from '../ports/seed.ts'
import { badPortOf } from '../url/host-limits.ts'
import { parseUrl } from '../url/parse-url.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { SEED_RULES, wantedProblem } from '../ports/wanted-problem.ts'
import { strangerIn } from '../values/options.ts'
import { COST } from '../process/loop-budget.ts'
import type { Discoveries } from './discovery.ts'
import type { Run } from '../run/run.ts'
import type { Settings } from '../run/settings.ts'

/** Offered in one transaction. */
export const SEEDS_AT_ONCE = 1_000

/** A seed with its URL parsed. */
export interface CheckedSeed {
  readonly seed: Seed
  readonly url: string
}

/** A seed, checked. Throws AVO_SEED_INVALID. */
export function checkedSeed(entry: string | Seed, { spider, codec }: Pick<Settings, 'spider' | 'codec'>): CheckedSeed {
  const seed = typeof entry === 'string' ? { url: entry } : entry
  const misspelled = strangerIn(seed ?? {}, SEED_RULES)
  if (misspelled !== undefined) throw invalid(`a seed has ${misspelled}`)
  const url = typeof seed?.url === 'string' ? parseUrl(seed.url) : undefined
  if (url === undefined)
    throw invalid(
      `expected every seed to be an absolute http(s) URL, got ${codec.text(shown(seed?.url ?? seed))}; write it like https://shop.example/, in at most 8,000 bytes`,
    )
  // Errors are read.
  const named = codec.text(url)
  const badPort = badPortOf(hostKeyOf(url, 'host'))
  if (badPort !== undefined)
    throw invalid(
      `seed ${named} has port ${badPort}, which belongs to another protocol than HTTP: no crawl connects to it, as no browser does; serve the site on another port`,
    )
  const problem = wantedProblem(seed)
  if (problem !== undefined) throw invalid(`seed ${named}: ${problem}`)
  if (seed.handler !== undefined && !Object.hasOwn(spider.handlers, seed.handler))
    throw invalid(
      `seed ${named} names the handler ${seed.handler}, which spider ${spider.name} does not have (it has: ${Object.keys(spider.handlers).join(', ')})`,
    )
  return { seed, url }
}

function invalid(message: string): AvocetError {
  return new AvocetError('AVO_SEED_INVALID', message)
}

/** Those of `entries` that are seeds; of the others the report says that they are left out. */
export function usableSeeds(entries: Iterable<string | Seed>, { settings, tally }: Run, what: string): readonly CheckedSeed[] {
  return [...entries].flatMap((entry) => {
    try {
      return [checkedSeed(entry, settings)]
    } catch (error) {
      tally.problem(`${what} is left out: ${messageOf(error)}`)
      return []
    }
  })
}

/** Offers seeds, a batch at a time while `goesOn`. A store may answer in the same turn of the event loop, and a stop or a timer is to come between. */
export async function offerSeeds(
  seeds: readonly CheckedSeed[],
  discoveries: Discoveries,
  run: Run,
  goesOn = (): boolean => true,
): Promise<void> {
  const refused = new Map<string, { first: string; count: number }>()
  for (let start = 0; start < seeds.length && (start === 0 || goesOn()); start += SEEDS_AT_ONCE) {
    const batch: NewRequest[] = []
    const some = seeds.slice(start, start + SEEDS_AT_ONCE)
    const { codec, loop } = run.settings
    if (some.some(({ seed }) => codec.isMissingFor(seed))) await codec.load()
    await loop.room(COST.row * some.length)
    for (const { seed, url } of some) {
      const request = discoveries.ofSeed(seed, url)
      if (typeof request !== 'string') batch.push(request)
      else refused.set(request, { first: url, ...refused.get(request), count: (refused.get(request)?.count ?? 0) + 1 })
    }
    await offer(batch, run)
  }
  for (const [reason, some] of refused) run.tally.problem(refusedSeeds(reason, some))
}

async function offer(requests: readonly NewRequest[], run: Run): Promise<void> {
  const { added } = await run.calls.make('seeds', () => run.settings.frontier.add(requests))
  run.tally.offered(added)
  // Which of them were new nobody said, unless all were.
  const count = added === requests.length ? 1 : 0
  run.gained(requests.map(({ hostKey, priority }) => ({ hostKey, count, topPriority: priority })))
  run.goOn()
}

/** A crawl that skips some of its seeds looks complete. */
function refusedSeeds(reason: string, { first, count }: { readonly first: string; readonly count: number }): string {
  if (count === 1)
    return `1 seed is refused and not requested (${reason}: ${first}); change the scope or the plugin that refuses it, or remove it from the seeds`
  return `${count} seeds are refused and not requested (${reason}: ${first} and ${count - 1} more); change the scope or the plugin that refuses them, or remove them from the seeds`
}
