// The configuration, for the simulated shops and their clock.
import { VirtualClock } from '@avocet/simulator'
import config from './avocet.config.ts'
import { shopsOn } from './shops.ts'

export const clock = new VirtualClock()
export const { web, fetcher } = shopsOn(clock)
export default { ...config, fetcher }
