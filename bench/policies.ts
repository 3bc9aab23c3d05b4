// The five policies one by one, for benches that take single ones.
import type { Plugin } from '@avocet/core'
import { adaptiveTimeout } from '@avocet/plugin-adaptive-timeout'
import { aimd } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'

/** Made anew for each crawl, with their defaults. */
export const POLICIES: Readonly<Record<string, () => Plugin>> = {
  robots: () => robots(),
  aimd: () => aimd({ maxRps: 50 }),
  breaker: () => breaker(),
  'adaptive-timeout': () => adaptiveTimeout(),
  retry: () => retry(),
}

/** All but robots. */
export function policies(maxRps?: number): readonly Plugin[] {
  return [aimd(maxRps === undefined ? {} : { maxRps }), breaker(), adaptiveTimeout(), retry()]
}
