// Reads a spider's seeds, checks each, and offers them to the frontier in batches.
import { AvocetError } from '../errors.ts'
import type { Frontier } from '../frontier.ts'
import type { NewRequest } from '../request.ts'
import { shown } from '../shown.ts'
import type { Seed } from '../spider.ts'
import { keysOf, unknownKey } from '../unknown-key.ts'
import { badPortOf } from '../url/bad-port.ts'
import { parseUrl } from '../url/canonicalize.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { wantedProblem } from '../wanted-problem.ts'
import type { Discoveries } from './discovery.ts'
import type { Settings } from '../run/settings.ts'
import type { StoreCalls } from '../store/store-calls.ts'

const BATCH = 1_000
const SEED_KEYS = keysOf<Seed>({
  url: true,
  handler: true,
  priority: true,
  data: true,
  method: true,
  headers: true,
  body: true,
  identity: true,
})

/** A seed with its URL parsed. */
export interface CheckedSeed {
  readonly seed: Seed
  readonly url: string
}

/** Every seed of `spider`. Throws AVO_SEED_INVALID for the first that is not an http(s) URL, or has a port that is not for HTTP. */
export async function seedsOf({ spider, secrets }: Pick<Settings, 'spider' | 'secrets'>): Promise<readonly CheckedSeed[]> {
  const checked: CheckedSeed[] = []
  const given = typeof spider.seeds === 'function' ? spider.seeds() : spider.seeds
  for await (const entry of given) {
    const seed = typeof entry === 'string' ? { url: entry } : entry
    const url = typeof seed?.url === 'string' ? parseUrl(seed.url) : undefined
    if (url === undefined) {
      throw new AvocetError(
        'AVO_SEED_INVALID',
        `expected every seed to be an absolute http(s) URL, got ${secrets.inText(shown(seed?.url ?? seed))}; write it like https://shop.example/`,
      )
    }
    // Errors are read.
    const named = secrets.inText(url)
    const badPort = badPortOf(hostKeyOf(url, 'host'))
    if (badPort !== undefined) {
      throw new AvocetError(
        'AVO_SEED_INVALID',
        `seed ${named} has port ${badPort}, which belongs to another protocol than HTTP: no crawl connects to it, as no browser does; serve the site on another port`,
      )
    }
    const problem = wantedProblem(seed)
    if (problem !== undefined) throw new AvocetError('AVO_SEED_INVALID', `seed ${named}: ${problem}`)
    if (seed.handler !== undefined && !Object.hasOwn(spider.handlers, seed.handler)) {
      throw new AvocetError(
        'AVO_SEED_INVALID',
        `seed ${named} names the handler ${seed.handler}, which spider ${spider.name} does not have (it has: ${Object.keys(spider.handlers).join(', ')})`,
      )
    }
    const misspelled = unknownKey(seed, SEED_KEYS)
    if (misspelled !== undefined) throw new AvocetError('AVO_SEED_INVALID', `seed ${named} ${misspelled}`)
    checked.push({ seed, url })
  }
  return checked
}

/** Offers seeds. Returns how many were new, and how many were refused. */
export async function offerSeeds(
  seeds: readonly CheckedSeed[],
  discoveries: Discoveries,
  { frontier, calls }: { readonly frontier: Frontier; readonly calls: StoreCalls },
): Promise<{ added: number; refused: number }> {
  let added = 0
  let refused = 0
  for (let start = 0; start < seeds.length; start += BATCH) {
    const batch: NewRequest[] = []
    for (const { seed, url } of seeds.slice(start, start + BATCH)) {
      const request = discoveries.ofSeed(seed, url)
      if (typeof request === 'string') refused++
      else batch.push(request)
    }
    added += (await calls.make('seeds', () => frontier.add(batch))).added
  }
  return { added, refused }
}
