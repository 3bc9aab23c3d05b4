// The set-up of the project `postgres`: one server for all of its files.
import { postgresMissing, startServerOfRun } from '@avocet/stress/postgres'

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  return postgresMissing() === undefined && process.env['AVOCET_TEST_POSTGRES'] === undefined ? startServerOfRun() : undefined
}
