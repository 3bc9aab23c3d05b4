// Proxies for Avocet: by host or by session, rested while they fail.
export { proxies } from './proxies.ts'
export { proxyServer, proxyServerOf } from './proxy-server.ts'
export type { ProxiesOptions, ProxyChoice, ProxyRoute, ProxyRoutes } from './routes.ts'
