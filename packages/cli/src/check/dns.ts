// Whether the names of the seeds' hosts resolve.
import { isIP } from 'node:net'
import type { CrawlConfig, Seed } from '@avocet/core'
import { sleepUntil, type Clock } from '@avocet/core/store'
import { nameResolver, type NameResolver, type Resolve } from '@avocet/fetcher-http'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { finding, findings, type Finding } from './finding.ts'

const MAX_NAMES = 100
const MAX_WAIT_MS = 5_000

/** What was found, and the names without an address. */
export interface Resolved {
  readonly findings: readonly Finding[]
  readonly nameless: ReadonlySet<string>
}

/** Who resolves names for a crawl of this configuration. Throws AVO_CONFIG_INVALID. */
export function namesOf({ resolver, nameServers }: Pick<CrawlConfig, 'resolver' | 'nameServers'>, clock: Clock): NameResolver {
  return nameResolver({ clock, ...(resolver && { resolver }), ...(nameServers && { nameServers }) })
}

/** Resolves all names at once, as the crawl's fetcher would. */
export async function dnsFindings(
  seeds: readonly Seed[],
  clock: Clock,
  config: Pick<CrawlConfig, 'resolver' | 'nameServers'>,
): Promise<Resolved> {
  const all = [...new Set(seeds.map(({ url }) => new URL(url).hostname))].filter(
    (name) => isIP(name.replace(/^\[|\]$/g, '')) === 0,
  )
  const names = all.slice(0, MAX_NAMES)
  const { resolve, close } = namesOf(config, clock)
  const late = sleepUntil(clock, clock.now() + MAX_WAIT_MS).then(() => 'no answer within 5 s; check the network')
  const problems = await Promise.all(
    names.map(async (name) => {
      const problem = await Promise.race([problemOf(name, resolve), late])
      return problem === undefined ? [] : [{ name, line: `${name}: ${problem}` }]
    }),
  )
  close()
  const bad = problems.flat()
  const nameless = new Set(bad.map(({ name }) => name))
  if (bad.length > 0)
    return {
      findings: findings(
        'dns',
        // The others are crawled all the same.
        seeds.every(({ url }) => nameless.has(new URL(url).hostname)) ? 'fail' : 'warn',
        bad.map(({ line }) => line),
      ),
      nameless,
    }
  const some = all.length > names.length ? `${formatCount(names.length)} of ` : ''
  const said = all.length === 0 ? 'the seeds name addresses' : `${some}${formatCountOf(all.length, 'name')} of seeds resolved`
  return { findings: [finding('dns', 'ok', said)], nameless }
}

function problemOf(name: string, resolve: Resolve): Promise<string | undefined> {
  return new Promise((answer) => {
    resolve(name, ({ error }) => answer(error && wordsOf(error)))
  })
}

function wordsOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : 'an error'
  if (code === 'ENOTFOUND' || code === 'EBADNAME') return 'there is no such name; check the seed for a typo'
  if (code === 'ENODATA') return 'the name has no address; check the seed for a typo'
  return `the resolver said ${code}; check the network`
}
