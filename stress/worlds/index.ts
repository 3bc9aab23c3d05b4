// The door of @avocet/stress/worlds: the worlds of the simulator and those that only tests and benchmarks crawl, by name.
import { WORLDS as SIMULATED, type SiteModel } from '@avocet/simulator'
import { eighty } from './eighty.ts'
import { BUCKET_WORLDS, CHANGING_WORLDS, REFUSING_WORLDS } from './limited.ts'
import { TROUBLED_WORLDS } from './troubled.ts'

export { eighty }
export { limited } from './limited.ts'

/** All of them. */
export const WORLDS: Readonly<Record<string, () => SiteModel>> = {
  ...SIMULATED,
  'eighty-low': () => eighty(0.2),
  'eighty-high': () => eighty(1),
  ...BUCKET_WORLDS,
  ...REFUSING_WORLDS,
  ...CHANGING_WORLDS,
  ...TROUBLED_WORLDS,
}
