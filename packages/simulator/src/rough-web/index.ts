// The door of @avocet/simulator/rough-web: the hosts of a site model on real sockets, and what they are made of.
export { startRoughWeb, type RoughWeb, type RoughWebOptions } from './rough-web.ts'
export { spawnRoughWeb, type SpawnedRoughWeb } from './spawn.ts'
export type { RequestLog } from './rough-host.ts'
export { KEEPER_ADDRESS, loopbackAddress } from './addresses.ts'
export { openBlackholes } from './blackhole.ts'
export { openListeners, type Listeners, type ListenAddress } from './listeners.ts'
export { readServedLog, type ServedRequest } from './served-log.ts'
