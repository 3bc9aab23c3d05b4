// Refills that are asked for at once are one call: each host gets its own requests, and each request is handed out once.
import { hash } from 'node:crypto'
import type { Fingerprint, NewRequest } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresStore } from './stores.ts'

const missing = postgresMissing()
const SPEC = { name: 'refills', hostKeying: 'host' }
const NOW = 1_700_000_000_000
/** More than one call takes. */
const HOSTS = 20

/** Requests of one host, from number `from` on. */
function requests(host: number, from: number, count: number): NewRequest[] {
  return Array.from({ length: count }, (_, n) => {
    const hostKey = `h${String(host)}.test`
    const url = `http://${hostKey}/${String(from + n)}`
    const fingerprint = hash('sha1', url, 'binary').slice(0, 16) as Fingerprint
    return { fingerprint, hostKey, url, handler: 'start', depth: 0, priority: 0 }
  })
}

describe.skipIf(missing !== undefined)(`refills of several hosts at once ${missing ?? ''}`, () => {
  let server: TestPostgres
  let store: FrontierStore

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  beforeEach(() => {
    store = postgresStore(server.url)
  })

  afterEach(() => store.dispose?.())

  afterAll(() => server.stop())

  it('give each host its own requests, also more hosts than one call takes', async () => {
    const frontier = store.frontier()
    await frontier.open(SPEC, NOW)
    await frontier.add(Array.from({ length: HOSTS }, (_, host) => requests(host, 0, 3)).flat())
    const { leases } = await frontier.lease({ now: NOW, hosts: HOSTS, requestsPerHost: 1 })

    const refilled = await Promise.all(leases.map((lease) => frontier.refill(lease, 64, NOW)))

    const urls = refilled.map((answer) => answer.requests.map(({ url }) => url))
    expect(urls).toEqual(leases.map(({ hostKey }) => [`http://${hostKey}/1`, `http://${hostKey}/2`]))
  })

  it('hand nothing out twice to a host that asks twice, and give nothing to one that is held no more', async () => {
    const frontier = store.frontier()
    await frontier.open(SPEC, NOW)
    await frontier.add([0, 1].flatMap((host) => requests(host, 0, 5)))
    const { leases } = await frontier.lease({ now: NOW, hosts: 2, requestsPerHost: 1 })
    const [held, given] = leases
    if (held === undefined || given === undefined) throw new Error('expected two leases')
    await frontier.release([{ lease: given, rest: { readyAt: NOW, memory: {} } }])

    const answers = await Promise.all([held, given, held].map((lease) => frontier.refill(lease, 2, NOW)))

    const paths = answers.map((answer) => answer.requests.map(({ url }) => new URL(url).pathname))
    expect(paths).toEqual([['/1', '/2'], [], ['/3', '/4']])
  })
})
