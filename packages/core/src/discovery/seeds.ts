// Reads a spider's seeds, checks each, and offers them to the frontier in batches.
import { AvocetError } from '../values/errors.ts'
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
export function checkedSeed(entry: string | Seed, settings: Pick<Settings, 'spider' | 'codec'>): CheckedSeed {
  const checked = checkedOrWhyNot(entry, settings)
  if (typeof checked === 'string') throw new AvocetError('AVO_SEED_INVALID', checked)
  return checked
}

/** A list may have a million rows that are no seeds: to throw for each would take half a minute. */
function checkedOrWhyNot(entry: string | Seed, { spider, codec }: Pick<Settings, 'spider' | 'codec'>): CheckedSeed | string {
  const seed = typeof entry === 'string' ? { url: entry } : entry
  const misspelled = strangerIn(seed ?? {}, SEED_RULES)
  if (misspelled !== undefined) return `a seed has ${misspelled}`
  const url = typeof seed?.url === 'string' ? parseUrl(seed.url) : undefined
  if (url === undefined)
    return `expected every seed to be an absolute http(s) URL, got ${codec.text(shown(seed?.url ?? seed))}; write it like https://shop.example/, in at most 8,000 bytes`
  // Errors are read.
  const named = codec.text(url)
  const badPort = badPortOf(hostKeyOf(url, 'host'))
  if (badPort !== undefined)
    return `seed ${named} has port ${badPort}, which belongs to another protocol than HTTP: no crawl connects to it, as no browser does; serve the site on another port`
  const problem = wantedProblem(seed)
  if (problem !== undefined) return `seed ${named}: ${problem}`
  if (seed.handler !== undefined && !Object.hasOwn(spider.handlers, seed.handler))
    return `seed ${named} names the handler ${seed.handler}, which spider ${spider.name} does not have (it has: ${Object.keys(spider.handlers).join(', ')})`
  return { seed, url }
}

/**
 * Those of `entries` that are seeds, checked once the event loop has room. The report names the first of the others, and counts them. `nameOf`: what it calls
 * the one at an index.
 */
export async function usableSeeds(
  entries: readonly (string | Seed)[],
  { settings, tally }: Run,
  nameOf: (index: number) => string,
): Promise<readonly CheckedSeed[]> {
  await settings.loop.room(COST.row * entries.length)
  return entries.flatMap((entry, index) => {
    const checked = checkedOrWhyNot(entry, settings)
    if (typeof checked !== 'string') return [checked]
    tally.problem(`${nameOf(index)} is left out: ${checked}`, 'seeds are left out')
    return []
  })
}

/** Offers seeds, a batch at a time while `goesOn`. A store may answer in the same turn of the event loop, and a stop or a timer is to come between. */
export async function offerSeeds(
  seeds: readonly CheckedSeed[],
  discoveries: Discoveries,
  run: Run,
  goesOn = (): boolean => true,
): Promise<void> {
  for (let start = 0; start < seeds.length && (start === 0 || goesOn()); start += SEEDS_AT_ONCE) {
    const batch: NewRequest[] = []
    const some = seeds.slice(start, start + SEEDS_AT_ONCE)
    const { codec, loop } = run.settings
    if (some.some(({ seed }) => codec.isMissingFor(seed))) await codec.load()
    await loop.room(COST.row * some.length)
    for (const { seed, url } of some) {
      const request = discoveries.ofSeed(seed, url)
      if (typeof request !== 'string') batch.push(request)
      else run.tally.problem(refusedSeed(url, request), `seeds are refused (${request})`)
    }
    await offer(batch, run)
  }
}

async function offer(requests: readonly NewRequest[], run: Run): Promise<void> {
  const { added } = await run.calls.make('seeds', () => run.settings.frontier.add(requests))
  run.tally.offered(added)
  // Which of them were new nobody said, unless all were.
  const count = added === requests.length ? 1 : 0
  run.gained(requests.map(({ hostKey, priority }) => ({ hostKey, count, topPriority: priority })))
  run.goOn()
}

/** A crawl that skips some of its seeds looks complete. The first one refused for a reason is named, and the report counts the others. */
function refusedSeed(url: string, reason: string): string {
  return `a seed is refused and not requested (${reason}: ${url}); change the scope or the plugin that refuses it, or remove it from the seeds`
}
