// The seeds that are looked at: the first ones, for a spider may have a million, or make them for ever.
import { messageOf, sleepUntil, type Clock, type Seed, type Spider } from '@avocet/core'
import { formatCount } from '../text/quantity.ts'
import type { Finding } from './finding.ts'

const MAX_SEEDS = 1_000
/** A function that makes seeds may ask a server for them. */
const MAX_WAIT_MS = 10_000

/** The seeds, and what is to be said of them. */
export interface SeedsSeen {
  readonly seeds: readonly Seed[]
  readonly findings: readonly Finding[]
}

/** Reads the first thousand, or as many as come within ten seconds. */
export async function seedsSeen(spider: Spider, clock: Clock): Promise<SeedsSeen> {
  const seeds: Seed[] = []
  const problem = await Promise.race([
    take(spider, seeds).catch((error: unknown) => `the function that makes the seeds threw: ${messageOf(error)}`),
    sleepUntil(clock, clock.now() + MAX_WAIT_MS).then(
      () => 'the function that makes the seeds gave none within 10 s; see what it waits for',
    ),
  ])
  const wrong = seeds.find(({ url }) => !/^https?:\/\//i.test(url) || !URL.canParse(url))
  if (wrong) return { seeds, findings: [fail(`expected http(s) URLs, got '${wrong.url}'; write it like https://shop.example/`)] }
  if (seeds.length === 0)
    return {
      seeds,
      findings: [fail(problem ?? `spider ${spider.name} has no seeds: add at least one URL, or give --seeds FILE`)],
    }
  const more = seeds.length === MAX_SEEDS ? 'the first ' : ''
  return { seeds, findings: problem === undefined ? [ok(`${more}${formatCount(seeds.length)} looked at`)] : [fail(problem)] }
}

async function take({ seeds: given }: Spider, seeds: Seed[]): Promise<undefined> {
  const all: Iterable<string | Seed> | AsyncIterable<string | Seed> = typeof given === 'function' ? given() : given
  for await (const seed of all) {
    seeds.push(typeof seed === 'string' ? { url: seed } : seed)
    if (seeds.length === MAX_SEEDS) break
  }
  return undefined
}

function ok(said: string): Finding {
  return { subject: 'seeds', state: 'ok', said }
}

function fail(said: string): Finding {
  return { subject: 'seeds', state: 'fail', said }
}
