// The door @avocet/testkit/postgres: a real PostgreSQL server for tests.
export { postgresMissing } from './binaries.ts'
export { startPostgres, type StartOptions, type TestPostgres } from './start-postgres.ts'
