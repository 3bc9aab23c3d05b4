// The sessions of a crawl that are known before it begins: of its configuration and its seeds.
import type { Settings } from '../run/settings.ts'

/** By name; undefined: that of a host. Seeds of a function may be of any session. */
export function sessionsAhead({ spider: { seeds }, sessions }: Pick<Settings, 'spider' | 'sessions'>): Set<string | undefined> {
  const ofSeeds =
    typeof seeds === 'function'
      ? [undefined, '(of a seed)']
      : seeds.map((seed) => (typeof seed === 'string' ? undefined : seed.session))
  return new Set([...sessions.keys(), ...ofSeeds])
}
