// The policies one by one, as the preset composes them: for benches that take single ones.
import type { Plugin } from '@avocet/core'
import { adaptiveTimeout } from '@avocet/plugin-adaptive-timeout'
import { aimd } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'

/** Those that have landed. */
export function policies(maxRps?: number): readonly Plugin[] {
  return [aimd(maxRps === undefined ? {} : { maxRps }), breaker(), adaptiveTimeout(), retry()]
}
