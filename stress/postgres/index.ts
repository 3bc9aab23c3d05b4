// The door @avocet/stress/postgres: a real PostgreSQL server for tests, and a network that fails on the way to it.
export { postgresMissing } from './binaries.ts'
export { postgresDatabase, startServerOfRun } from './database-of-run.ts'
export { startFaultProxy, type FaultProxy, type FaultProxyOptions, type NetworkState } from './fault-proxy.ts'
export type { FaultCounts, FaultRates, LinkFault } from './link-faults.ts'
export { startPostgres, type LaggingReplica, type OwnPostgres, type StartOptions, type TestPostgres } from './start-postgres.ts'
