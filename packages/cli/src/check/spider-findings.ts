// What is found out about the spider: its seeds, and intervals of its rules.
import { AvocetError, type CrawlConfig, type RunnableConfig, type Seed, type Spider } from '@avocet/core'
import { didYouMean, patternsOf } from '@avocet/core/plugin'
import { hostKeyOf, messageOf, sleepUntil, type Clock, type Fetcher } from '@avocet/core/store'
import { crawl, memoryFrontier } from 'avocet'
import { spiderSeedsOf } from '@avocet/project/load'
import { formatCount } from '@avocet/project/text'
import { finding, findings, type Finding } from './finding.ts'

const MAX_SEEDS = 1_000
/** A function that makes seeds may ask a server for them. */
const MAX_WAIT_MS = 10_000

/** The seeds, and what is to be said of them. */
interface SeedsSeen {
  readonly seeds: readonly Seed[]
  readonly findings: readonly Finding[]
}

type Config = Pick<CrawlConfig, 'secretParameters' | 'hosts' | 'limits'>

/** Reads the first thousand, or as many as come within ten seconds. None where a crawl would refuse one. */
export async function seedsSeen(spider: Spider, clock: Clock, config: Config): Promise<SeedsSeen> {
  const seeds: Seed[] = []
  const problem = await Promise.race([
    take(spider, seeds).catch(
      (error: unknown) => `the seeds of spider ${spider.name} threw: ${messageOf(error)} (AVO_SEED_INVALID)`,
    ),
    sleepUntil(clock, clock.now() + MAX_WAIT_MS).then(
      () => 'the function that makes the seeds gave none within 10 s; see what it waits for',
    ),
  ])
  const fault =
    problem ??
    (await refusalOf({ spider: { ...spider, seeds }, policies: [], secretParameters: config.secretParameters ?? [], clock }))
  if (fault !== undefined) return { seeds: [], findings: [finding('seeds', 'fail', fault)] }
  const looked = `${seeds.length === MAX_SEEDS ? 'the first ' : ''}${formatCount(seeds.length)} looked at`
  const idle = seeds.length === MAX_SEEDS ? [] : idlePatterns(config, seeds, spider.scope?.hosts)
  return { seeds, findings: [finding('seeds', 'ok', looked), ...findings('config', 'warn', idle)] }
}

/** A typo in a pattern does nothing, for as long as the crawl runs. */
function idlePatterns(
  { hosts = {}, limits = [] }: Config,
  seeds: readonly Seed[],
  more: readonly string[] = [],
): readonly string[] {
  const keys = seeds.flatMap(({ url }) => [hostKeyOf(url, 'host'), hostKeyOf(url, 'domain')])
  const met = [...keys, ...more].flatMap((key) => [...patternsOf(key)])
  const ofLimits = limits.map(({ match }, n) => [`limits[${n}]`, [match].flat()] as const)
  return [['hosts', Object.keys(hosts)] as const, ...ofLimits].flatMap(([place, patterns]) => {
    const idle = patterns.filter((each) => !met.includes(each))
    return idle.map((each) => `${place}: '${each}' matches no seed${didYouMean(each, met)}; it counts only for hosts found later`)
  })
}

/** For a crawl that requests nothing. */
export const SILENT: Fetcher = { fetch: () => () => undefined, close: () => Promise.resolve() }

/** What a crawl says of its seeds: one that is stopped before it begins. */
async function refusalOf(config: RunnableConfig): Promise<string | undefined> {
  try {
    const run = crawl({ ...config, frontier: memoryFrontier(), fetcher: SILENT })
    run.stop()
    await run.run()
    return undefined
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return `${error.message} (${error.code})`
  }
}

async function take(spider: Spider, seeds: Seed[]): Promise<undefined> {
  for await (const seed of spiderSeedsOf(spider)) {
    seeds.push(seed)
    if (seeds.length === MAX_SEEDS) break
  }
  return undefined
}

/** Intervals of rules that are likely meant in seconds. */
export function intervalFindings({ recrawl = [] }: Pick<CrawlConfig, 'recrawl'>): readonly Finding[] {
  const short = [...recrawl.entries()].filter(([, { everyMs }]) => everyMs < 1_000)
  const said = short.map(
    ([n, { everyMs }]) => `recrawl[${n}].everyMs: ${everyMs} ms between two visits of a page; a minute is 60_000`,
  )
  return findings('config', 'warn', said)
}
