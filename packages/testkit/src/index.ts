// The one door of @avocet/testkit: virtual time, model sites, and the two webs that serve them. The contracts have a door of their own.
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
export { pick, seeded, shuffled, type Chance } from './seeded.ts'
export { siteModel, type ModelProduct, type ModelQuote, type SiteModel, type SitePage } from './site-model/site-model.ts'
export type * from './site-model/host-spec.ts'
export { quotes, roughForty, shops, twelveHosts, WORLDS } from './site-model/worlds.ts'
export type { Felt, FeltRequest } from './felt.ts'
export { simulatedWeb, type SimulatedWeb, type SimulatedWebOptions } from './simulated-web.ts'
