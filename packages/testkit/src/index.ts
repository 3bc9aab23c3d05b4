// The one door of @avocet/testkit: virtual time, model sites, and the two webs that serve them. The contracts have a door of their own.
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
