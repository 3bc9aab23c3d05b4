// How hosts are treated: the plugins of a crawl, and what the command line says of all hosts.
//
// A configuration that names plugins has said how; otherwise the five policies of `polite()` apply. A delay or a number per host, wherever it
// stands, is the wish for a fixed spacing instead of a learned rate. `--max-rps` and `--ignore-robots` become options of hosts, which every
// policy reads, one's own as well. The journal is always there: it decides nothing, and `avocet report` reads it.
import type { CrawlConfig, Explanation, HostOptions, HostRecord, HostsOptions, Plugin } from '@avocet/core'
import { journal } from '@avocet/plugin-journal'
import { polite } from '@avocet/preset-polite'
import type { CrawlOptions } from '../options/crawl-options.ts'

/** What the plugins depend on. */
type Treatment = Pick<CrawlConfig, 'plugins' | 'userAgent' | 'delayMs' | 'maxPerHost'>

/** The plugins of a crawl that is configured like this, and the journal. */
export function pluginsOf({ plugins, userAgent, delayMs, maxPerHost }: Treatment): readonly Plugin[] {
  if (plugins) return withJournal(plugins)
  const isFixed = delayMs !== undefined || maxPerHost !== undefined
  return withJournal(polite({ ...(userAgent !== undefined && { userAgent }), ...(isFixed && { rate: false }) }))
}

/** Those that a host of a store was treated by: a crawl with a fixed spacing left memory of core's politeness in place of a learned rate's. */
export function pluginsOfStore(config: Partial<CrawlConfig>): (record: Pick<HostRecord, 'memory'>) => readonly Plugin[] {
  const [learned, fixed] = [pluginsOf(config), pluginsOf({ delayMs: 1_000, ...config })]
  return ({ memory }) => (memory['politeness'] !== undefined && memory['aimd'] === undefined ? fixed : learned)
}

/** The rate that a host was found to take, by any plugin that explains one. */
export function foundRpsOf(values: Explanation['values']): number | undefined {
  return Object.values(values)
    .map(({ foundRps }) => foundRps)
    .find((found) => typeof found === 'number')
}

/** Unless there is one of that name. */
function withJournal(plugins: readonly Plugin[]): readonly Plugin[] {
  return plugins.some(({ name }) => name === 'journal') ? plugins : [...plugins, journal()]
}

/**
 * Options of hosts with what was typed for all of them: a cap that no pattern exceeds, and robots.txt ignored unless a pattern says `false`.
 *
 * @example
 * ```ts
 * hostOptionsOf({ 'api.shop.example': { maxRps: 4 } }, { maxRps: 2, ignoreRobots: false }) // both patterns, 2 a second each
 * ```
 */
export function hostOptionsOf(
  hosts: HostsOptions | undefined,
  { maxRps, ignoreRobots }: Pick<CrawlOptions, 'maxRps' | 'ignoreRobots'>,
): HostsOptions | undefined {
  if (maxRps === undefined && !ignoreRobots) return hosts
  const all: HostOptions = {
    ...hosts?.['*'],
    ...(ignoreRobots && { ignoreRobots }),
    ...(maxRps !== undefined && { maxRps: Math.min(maxRps, hosts?.['*']?.maxRps ?? maxRps) }),
  }
  const others = Object.entries(hosts ?? {}).map(([pattern, options]): [string, HostOptions] => [
    pattern,
    capped(options, maxRps),
  ])
  return { ...Object.fromEntries(others), '*': all }
}

function capped(options: HostOptions, maxRps: number | undefined): HostOptions {
  if (maxRps === undefined || options?.maxRps === undefined || options.maxRps <= maxRps) return options
  return { ...options, maxRps }
}
