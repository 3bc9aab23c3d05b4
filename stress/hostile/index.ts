// The door of @avocet/stress/hostile: the table of hostile behaviours, the servers that play it, and the judgement of what came of it.
export type * from './hostile-row.ts'
export { HOSTILE_FLOODS, HOSTILE_ROWS } from './table.ts'
export {
  meantHosts,
  startHostileWeb,
  type HostileAccount,
  type HostilePlace,
  type HostilePlan,
  type HostileWeb,
} from './hostile-web.ts'
export { SECRET, type HostileFelt } from './hostile-host.ts'
export { HostileWatch, type HostileSeen } from './seen.ts'
export { missesOf, type HostileOutcome } from './judge.ts'
export type { Certificate, CertificateKind } from './certificates.ts'
export type { NameAnswer } from './name-server.ts'
export type { ProxyBehaviour, ProxySeen, TestProxy, TestProxyOptions } from './proxy-desk.ts'
export { startTestProxy } from './test-proxy.ts'
export { Line } from './line.ts'
