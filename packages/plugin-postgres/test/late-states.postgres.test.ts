// A network that holds back a call which says how something is, and passes it on when that is otherwise: the newer state stays.
import { fingerprintOf, systemClock, type Frontier, type NewRequest } from '@avocet/core/store'
import { postgresMissing, startFaultProxy, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { ServerConnections } from '../src/connection/connections.ts'
import { schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { postgresFrontier } from '../src/index.ts'

const missing = postgresMissing()
const SPEC = { name: 'late', hostKeying: 'host' }
const STALL_MS = 3_000
const TIMEOUT_MS = 2_000
/** For what came to be done. */
const LATER_MS = 500

function seed(place: string): NewRequest {
  const url = `https://${place}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: new URL(url).host, url, handler: 'start', depth: 0, priority: 0 }
}

describe.skipIf(missing !== undefined)(`a state that comes late ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  /** `held` is given up by the process that makes it, and comes when all the rest was done. */
  async function given({ onTestFinished }: TestContext) {
    const proxy = await startFaultProxy(server.url, { stallMs: STALL_MS })
    const name = `state-${String(++crawls)}`
    const crawl = `?crawl=${name}`
    const frontier = postgresFrontier(`${proxy.url}${crawl}`, { allowUnsafe: true, timeoutMs: TIMEOUT_MS })
    const other = postgresFrontier(`${server.url}${crawl}`, { allowUnsafe: true })
    onTestFinished(async () => {
      await frontier.close().catch(() => undefined)
      await other.close().catch(() => undefined)
      await proxy.close()
    })
    await frontier.open(SPEC, 0)
    await frontier.add([seed('a.example/1')])
    const clock = systemClock()
    let comesAt = 0
    const heldBack = async (statement: string, call: () => Promise<unknown>): Promise<void> => {
      comesAt = clock.now() + STALL_MS
      proxy.inject('stall', statement)
      await expect(call()).rejects.toMatchObject({ code: 'AVO_FRONTIER_AWAY' })
    }
    const untilItCame = async (): Promise<void> => {
      await new Promise<void>((go) => clock.at(comesAt + LATER_MS, go))
      expect(proxy.deliveredStalls).toBe(1)
    }
    const unheard = () => silenced(name)
    return { frontier, other, heldBack, untilItCame, unheard }
  }

  /** The server has not heard of the processes of the crawl for an hour: whoever signs in next begins a run. */
  async function silenced(name: string): Promise<void> {
    const place = { url: storeUrl(server.url), schema: schemaOf(name), connections: 1, timeoutMs: 9_000 }
    const connections = new ServerConnections(place)
    await connections.all(`UPDATE {S}.process SET heard_at = heard_at - interval '1 hour'`)
    await connections.close()
  }

  const done = { kind: 'done', fetched: { at: 1_000, status: 200, durationMs: 5, wireBytes: 10 } } as const
  const failed = { kind: 'failed', reason: 'gone', blame: 'url', fetched: done.fetched } as const

  async function concluded(frontier: Frontier, outcome: typeof done | typeof failed, items: readonly { json: string }[] = []) {
    const { leases } = await frontier.lease({
      now: Math.floor(frontier.sharing?.tenure?.now() ?? 0),
      hosts: 1,
      requestsPerHost: 9,
    })
    const [lease] = leases
    const request = lease?.requests[0]
    if (lease === undefined || request === undefined) throw new Error('expected a lease with a request')
    await frontier.commit([{ lease, requestId: request.id, outcome, links: [], items: [...items] }])
    return { lease, id: request.id }
  }

  it.concurrent('leaves what was noted of the crawl since', async (context) => {
    const { frontier, heldBack, untilItCame } = await given(context)
    await heldBack('.note(', () => frontier.note({ core: '[1,"old"]' }))
    await frontier.note({ core: '[1,"old"]' })
    await frontier.note({ core: '[1,"new"]' })
    await untilItCame()

    expect((await frontier.reader.info()).memories).toEqual([{ core: '[1,"new"]' }])
  })

  it.concurrent('leaves the mark of a sink that has written more since', async (context) => {
    const { frontier, heldBack, untilItCame } = await given(context)
    const old = { name: 'rows', written: 1, mark: { itemSeq: 1 } }
    await heldBack('.sink AS s', () => frontier.sinks.keep(old))
    const kept = [await frontier.sinks.keep(old), await frontier.sinks.keep({ name: 'rows', written: 2, mark: { itemSeq: 2 } })]
    await untilItCame()

    expect(kept).toEqual([true, true])
    expect(await frontier.sinks.get('rows')).toMatchObject({ mark: { itemSeq: 2 } })
  })

  it.concurrent('leaves the mark of a sink that another process has taken over, and let go of', async (context) => {
    const { frontier, other, heldBack, untilItCame } = await given(context)
    await other.open(SPEC, 0)
    await frontier.sinks.claim('rows')
    const old = { name: 'rows', written: 1, mark: { itemSeq: 1 } }
    await heldBack('.sink AS s', () => frontier.sinks.keep(old))
    await frontier.sinks.free('rows')
    const taken = [await other.sinks.claim('rows'), await other.sinks.keep({ name: 'rows', written: 2, mark: { itemSeq: 2 } })]
    await other.sinks.free('rows')
    await untilItCame()

    expect(taken).toEqual([true, true])
    expect(await frontier.sinks.get('rows')).toMatchObject({ mark: { itemSeq: 2 } })
  })

  it.concurrent('takes no sink for a process that has let go of it', async (context) => {
    const { frontier, other, heldBack, untilItCame } = await given(context)
    await other.open(SPEC, 0)
    await heldBack('.sink AS s', () => frontier.sinks.claim('rows'))
    await frontier.sinks.claim('rows')
    await frontier.sinks.free('rows')
    await untilItCame()

    expect(await other.sinks.claim('rows')).toBe(true)
  })

  it.concurrent('lets go of no sink that its process has taken again', async (context) => {
    const { frontier, other, heldBack, untilItCame } = await given(context)
    await other.open(SPEC, 0)
    await frontier.sinks.claim('rows')
    await heldBack('owner = NULL', () => frontier.sinks.free('rows'))
    await frontier.sinks.free('rows')
    await frontier.sinks.claim('rows')
    await untilItCame()

    expect(await other.sinks.claim('rows')).toBe(false)
  })

  it.concurrent('retires no host that was revived since', async (context) => {
    const { frontier, heldBack, untilItCame } = await given(context)
    await heldBack('.retire(', () => frontier.retire('a.example', 'dead', Infinity))
    await frontier.retire('a.example', 'dead', Infinity)
    await frontier.change({ kind: 'revive', hostKey: 'a.example' })
    await untilItCame()

    expect((await frontier.reader.hosts({ hostKey: 'a.example' }))[0]).not.toHaveProperty('retiredFor')
  })

  it.concurrent('probes no host that was probed since', async (context) => {
    const { frontier, heldBack, untilItCame } = await given(context)
    await frontier.retire('a.example', 'dead', 5_000_000)
    await heldBack('.probe_retired(', () => frontier.change({ kind: 'probe-retired', from: 0, now: 1_000 }))
    await frontier.change({ kind: 'probe-retired', from: 0, now: 1_000 })
    await frontier.retire('a.example', 'dead', 9_000_000)
    await untilItCame()

    expect((await frontier.reader.hosts({ hostKey: 'a.example' }))[0]).toMatchObject({ retiredFor: 'dead', probeAt: 9_000_000 })
  })

  it.concurrent('opens no page again that failed again since', async (context) => {
    const { frontier, heldBack, untilItCame } = await given(context)
    const { lease } = await concluded(frontier, failed)
    await heldBack('.reopen(', () => frontier.change({ kind: 'reopen', limit: 9 }))
    await frontier.change({ kind: 'reopen', limit: 9 })
    const { requests } = await frontier.refill(lease, 1, Math.floor(frontier.sharing?.tenure?.now() ?? 0))
    await frontier.commit([{ lease, requestId: requests[0]?.id ?? 0, outcome: failed, links: [], items: [] }])
    await untilItCame()

    expect(await frontier.reader.counts()).toMatchObject({ failed: 1, waiting: 0 })
  })

  it.concurrent('asks for no page again that was visited for it since, in a run that began meanwhile', async (context) => {
    const { frontier, other, heldBack, untilItCame, unheard } = await given(context)
    await concluded(frontier, done)
    await frontier.close()
    await frontier.open(SPEC, 0)
    await unheard()
    await other.open(SPEC, 0)
    const again = { ...seed('a.example/1'), again: 1 }
    await heldBack('.add(', () => frontier.add([again]))
    await frontier.add([again])
    const asked = await other.reader.counts()
    await concluded(other, done)
    await untilItCame()

    expect(asked).toMatchObject({ again: 1 })
    expect(await other.reader.counts()).not.toHaveProperty('again')
  })

  it.concurrent('sets no item aside that the sink gets again', async (context) => {
    const { frontier, heldBack, untilItCame } = await given(context)
    const { id } = await concluded(frontier, done, [{ json: '{}' }])
    const reject = { source: 'rows', requestId: id, visit: 0, ordinal: 0, reason: 'full', at: 1_000 }
    await heldBack('.reject (', () => frontier.rejects.setAside([reject]))
    await frontier.rejects.setAside([reject])
    const [row] = await frontier.reader.rejects({ afterId: 0, limit: 9 })
    await frontier.rejects.forget([row?.id ?? 0])
    await untilItCame()

    expect(await frontier.reader.rejects({ afterId: 0, limit: 9 })).toEqual([])
    expect(await frontier.reader.counts()).not.toHaveProperty('rejects')
  })
})
