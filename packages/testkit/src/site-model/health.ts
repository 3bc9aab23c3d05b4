// Whether a host is alive at a moment, and if not, how it fails. Pure: the description, the seed, the time.
import { seeded } from '../seeded.ts'
import type { DeathStyle, HostSpec } from './host-spec.ts'

/** Style in which `host` fails `sinceMs` after the web was started; undefined = it lives. A death counts before an outage, that before flapping. */
export function deathAt(host: HostSpec, sinceMs: number, seed: string): DeathStyle | undefined {
  if (host.death !== undefined) return host.death
  const outage = host.outages?.find(({ fromMs, untilMs = Infinity }) => sinceMs >= fromMs && sinceMs < untilMs)
  if (outage !== undefined) return outage.style
  if (host.flapping === undefined) return undefined
  const { periodMs, downRatio, style } = host.flapping
  // In the first part of each period it lives; the seed moves the beginning, so that hosts do not fail together.
  const phase = (sinceMs / periodMs + seeded(seed, host.name, 'flapping')(0)) % 1
  return phase >= 1 - downRatio ? style : undefined
}
