// The door of @avocet/stress/rough-web: the hosts of a site model on real sockets, and what they are made of.
export { KEEPER_ADDRESS, loopbackAddress, type RoughWeb, type RoughWebOptions, startRoughWeb } from './rough-web.ts'
export { spawnRoughWeb, type SpawnedRoughWeb } from './spawn.ts'
export type { RequestLog } from './rough-host.ts'
export { type ListenAddress, type Listeners, openBlackholes, openListeners } from './listeners.ts'
export { readServedLog, type ServedRequest } from './served-log.ts'
