// Proxies for Avocet: by host or by session, rested while they fail.
export { proxies } from './proxies.ts'
export type { ProxiesOptions, ProxyChoice, ProxyRoute, ProxyRoutes } from './routes.ts'
