// The door of @avocet/testkit/contracts: the suites that plugins, frontiers, fetchers and sinks pass. Needs vitest.
export { frontierContract, type FrontierContractOptions } from './frontier-contract.ts'
export type { FrontierStore } from './frontier/frontier-store.ts'
export { fetcherContract } from './fetcher-contract.ts'
export type { FetcherOnWeb } from './fetcher-on-web.ts'
export { driveSink, sinkItem, type DriveSinkOptions, type SinkProgress } from './sink/drive-sink.ts'
export { sinkContract, type SinkContractOptions, type SinkWorld } from './sink-contract.ts'
export { pluginContract } from './plugin-contract.ts'
export {
  checkClock,
  checkConduct,
  checkDeterminism,
  checkOrder,
  checkResume,
  type Findings,
  type MakePlugins,
  type PluginCheckOptions,
} from './plugin-checks.ts'
export type { CrashPoint } from './crash-store.ts'
