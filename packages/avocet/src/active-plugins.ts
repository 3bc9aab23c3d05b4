// Which plugins a crawl runs: its policies, except those that one of its plugins replaces, and its plugins.
//
// A plugin that says which policy it implements takes that policy's place, so that `plugins: [mine]` adds to the policies and `plugins: [myRate]`
// replaces the rate. Several plugins of one policy all run, and the stricter answer counts. A crawl always has a rate policy: without one it keeps a
// fixed delay. Hours of hosts (`between`) and limits that they share hold whatever the policies are, so what keeps them is here too.
import { createRequire } from 'node:module'
import { isIPv6 } from 'node:net'
import { AvocetError, type CrawlConfig, type Plugin } from '@avocet/core'
import { DEFAULTS, hostKeyOf, type Fetcher } from '@avocet/core/store'
import { fixedDelay } from '@avocet/plugin-aimd/fixed-delay'
import type * as SharedLimits from '@avocet/plugin-aimd/shared-limits'
import type * as VisitingHours from '@avocet/plugin-robots/visiting-hours'

/**
 * The plugins that run.
 *
 * @throws AVO_CONFIG_INVALID when `policies` is missing.
 * @example
 * ```ts
 * const own = definePlugin({ name: 'own', policy: 'rate' })
 * activePlugins({ policies: [fixedDelay()], plugins: [own] }).map(({ name }) => name) // ['own']
 * ```
 */
export function activePlugins({ policies, plugins = [], hosts = {}, limits = [] }: Treating): readonly Plugin[] {
  if (policies === undefined) {
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      'expected policies, which decide how each host is treated, got none; use policies: polite() from @avocet/preset-polite, ' +
        'or policies: [] for a fixed delay of one second without robots.txt, retries and a circuit breaker',
    )
  }
  const replaced = new Set(plugins.map((plugin) => plugin.policy))
  const kept = policies.filter((plugin) => plugin.policy === undefined || !replaced.has(plugin.policy))
  const chosen = [...kept, ...plugins, ...(hasHours(hosts) ? [hoursOf(hosts)] : [])]
  const active = chosen.some((plugin) => plugin.policy === 'rate') ? chosen : [...chosen, fixedDelay()]
  const isGiven = active.some(({ name }) => name === 'limits')
  return limits.length > 0 || (active.some(learns) && !isGiven) ? withLimits(active, limits) : active
}

/** What decides how hosts are treated. */
type Treating = Pick<CrawlConfig, 'policies' | 'plugins' | 'hosts' | 'limits'>

/** Whether some of `hosts` has hours. */
export function hasHours(hosts: CrawlConfig['hosts'] = {}): boolean {
  return Object.values(hosts).some(({ between }) => between !== undefined)
}

/** No crawl without hours or limits loads their laws. */
function hoursOf(hosts: NonNullable<CrawlConfig['hosts']>): Plugin {
  return hoursLaw().visitingHours(hosts)
}

function hoursLaw(): typeof VisitingHours {
  return createRequire(import.meta.url)('@avocet/plugin-robots/visiting-hours') as typeof VisitingHours
}

/** The browser, which connects to no host that is closed: what a page loads beside its document passes no admission. */
export function browserInHours({ browser, hosts = {}, hostKeying = DEFAULTS.hostKeying }: CrawlConfig): CrawlConfig['browser'] {
  if (browser === undefined || !hasHours(hosts)) return browser
  const { isOpenAt } = hoursLaw()
  return ({ http, clock, limits }) => {
    const dial: Fetcher['dial'] = async (target) => {
      const name = isIPv6(target.hostname) ? `[${target.hostname}]` : target.hostname
      const key = hostKeyOf(new URL(`${target.port === 443 ? 'https' : 'http'}://${name}:${target.port}`), hostKeying)
      if (http.dial !== undefined && isOpenAt(hosts, key, clock.now())) return http.dial(target)
      throw new Error(`expected a host that is open, got ${key}, which is closed at this time of its day`)
    }
    // A copy would lack the methods of a fetcher that is a class.
    const get = (_http: Fetcher, name: string | symbol): unknown => {
      const own: unknown = name === 'dial' && http.dial !== undefined ? dial : Reflect.get(http, name)
      return typeof own === 'function' ? (own.bind(http) as unknown) : own
    }
    return browser({ http: new Proxy(http, { get }), clock, limits })
  }
}

function withLimits(active: readonly Plugin[], limits: NonNullable<CrawlConfig['limits']>): readonly Plugin[] {
  const { sharedLimits } = createRequire(import.meta.url)('@avocet/plugin-aimd/shared-limits') as typeof SharedLimits
  const { plugin, spared } = sharedLimits(limits, { learns: active.some(learns) })
  return [plugin, ...active.map((each) => (learns(each) ? spared(each) : each))]
}

/** The learned rate alone: a fixed one learns nothing of a refusal, and puts the page back. */
function learns({ name }: Plugin): boolean {
  return name === 'aimd'
}
