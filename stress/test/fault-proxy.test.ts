// Each fault of the proxy, before a server that answers `done: …` to what it is sent.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { systemClock } from '@avocet/core/store'
import { startFaultProxy, type FaultProxyOptions, type LinkFault } from '@avocet/stress/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'

interface Given {
  /** What the server got, one entry a connection. */
  readonly got: string[]
  /** Past the proxy. */
  readonly server: string
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>
}

async function given(options: FaultProxyOptions = {}): Promise<Given> {
  const got: string[] = []
  const server = createServer((socket) => {
    const n = got.push('') - 1
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        got[n] += bytes.toString()
        socket.write(`done: ${bytes.toString()}`)
      })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `postgres://me:word@127.0.0.1:${String((server.address() as AddressInfo).port)}/crawls`
  const proxy = await startFaultProxy(url, options)
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return { got, proxy, server: url }
}

/** One that is reset while it connects says so by its close. */
function opened(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
}

/** What comes back until the connection ends, or for a request that is answered whole, until then. */
function asked(socket: Socket, request: string): Promise<{ readonly reply: string; readonly isCut: boolean }> {
  return new Promise((resolve) => {
    let reply = ''
    socket.on('data', (bytes) => {
      reply += bytes.toString()
      if (reply === `done: ${request}`) resolve({ reply, isCut: false })
    })
    socket.once('close', () => resolve({ reply, isCut: true }))
    socket.write(request)
  })
}

describe('the proxy that injects faults', () => {
  it('has the URL of the server but for the port, and passes everything on', async () => {
    const { got, proxy } = await given()

    const answer = await asked(opened(proxy.url), 'commit 1')

    expect(proxy.url).toMatch(/^postgres:\/\/me:word@127\.0\.0\.1:\d+\/crawls$/)
    expect(answer).toEqual({ reply: 'done: commit 1', isCut: false })
    expect(got).toEqual(['commit 1'])
  })

  it.each<[LinkFault, string, string]>([
    ['reset', '', ''],
    ['half-request', 'comm', ''],
    ['lost-reply', 'commit 1', ''],
    ['half-reply', 'commit 1', 'done: c'],
  ])('cuts the connection: %s, of which the server has %j and the client %j', async (fault, atServer, atClient) => {
    const { got, proxy } = await given()
    proxy.inject(fault)

    const answer = await asked(opened(proxy.url), 'commit 1')

    expect(answer).toEqual({ reply: atClient, isCut: true })
    await expect.poll(() => got.join('')).toBe(atServer)
    expect(proxy.counts[fault]).toBe(1)
    expect(proxy.connections).toBe(0)
    expect(await asked(opened(proxy.url), 'commit 2')).toMatchObject({ isCut: false })
  })

  it('passes a stalled request on when the stall ends', async () => {
    const clock = systemClock()
    const { got, proxy } = await given({ stallMs: 80 })
    proxy.inject('stall')
    const from = clock.monotonic()

    const answer = await asked(opened(proxy.url), 'commit 1')

    expect(answer).toEqual({ reply: 'done: commit 1', isCut: false })
    expect(clock.monotonic() - from).toBeGreaterThanOrEqual(78)
    expect(got).toEqual(['commit 1'])
    expect(proxy.deliveredStalls).toBe(1)
  })

  it('delivers no stall whose connection is cut meanwhile', async () => {
    const { got, proxy } = await given({ stallMs: 80 })
    proxy.inject('stall')
    const answer = asked(opened(proxy.url), 'commit 1')
    const clock = systemClock()
    for (let n = 0; n < 200 && proxy.counts.stall === 0; n++) await new Promise<void>((go) => clock.at(clock.now() + 1, go))
    proxy.cut()

    expect(await answer).toMatchObject({ isCut: true })
    await new Promise<void>((go) => clock.at(clock.now() + 100, go))
    expect(proxy.deliveredStalls).toBe(0)
    expect(got.join('')).toBe('')
  })

  it('meets the request that was named', async () => {
    const { proxy } = await given()
    proxy.inject('lost-reply', 'commit')
    const socket = opened(proxy.url)

    const lease = await asked(socket, 'lease 1')
    const commit = await asked(socket, 'commit 1')

    expect([lease.isCut, commit.isCut]).toEqual([false, true])
  })

  it('is never faster than its round trip', async () => {
    const clock = systemClock()
    const { proxy } = await given({ roundTripMs: 5 })
    const socket = opened(proxy.url)
    const from = clock.monotonic()

    for (let n = 0; n < 10; n++) await asked(socket, `commit ${String(n)}`)

    expect(clock.monotonic() - from).toBeGreaterThanOrEqual(49)
  })

  it('passes on what is larger than its buffers, in order', async () => {
    const { got, proxy } = await given({ roundTripMs: 2 })
    const request = 'commit '.repeat(1_000_000)

    const socket = opened(proxy.url)
    socket.resume().write(request)

    await expect.poll(() => got[0]?.length, { timeout: 20_000 }).toBe(request.length)
    expect(got[0]).toBe(request)
  })

  it('draws the same faults for the same seed, as often as was said, and no more than its bound', async () => {
    const fates = async (): Promise<readonly boolean[]> => {
      const { proxy } = await given({ seed: 'a', rates: { 'lost-reply': 0.3, reset: 0.2 }, atMost: 6 })
      const cuts: boolean[] = []
      for (let n = 0; n < 30; n++) cuts.push((await asked(opened(proxy.url), 'commit')).isCut)
      expect(proxy.counts.reset + proxy.counts['lost-reply']).toBe(6)
      expect(proxy.counts).toMatchObject({ stall: 0, 'half-request': 0, 'half-reply': 0 })
      return cuts
    }

    const [once, again] = [await fates(), await fates()]

    expect(once).toEqual(again)
    expect(once.filter(Boolean)).toHaveLength(6)
  })

  it('stops injecting faults, and begins to, while it runs', async () => {
    const { proxy } = await given({ rates: { reset: 1 } })

    const before = await asked(opened(proxy.url), 'commit')
    proxy.rates = {}
    const after = await asked(opened(proxy.url), 'commit')

    expect([before.isCut, after.isCut]).toEqual([true, false])
  })

  it('cuts what is open and refuses what is new while the network is down', async () => {
    const { got, proxy } = await given()
    const socket = opened(proxy.url)
    await asked(socket, 'commit 1')
    const isCut = new Promise((resolve) => socket.once('close', resolve))

    proxy.network = 'down'
    await isCut
    const refused = await asked(opened(proxy.url), 'commit 2')
    proxy.network = 'up'
    const answered = await asked(opened(proxy.url), 'commit 3')

    expect([refused.isCut, answered.isCut]).toEqual([true, false])
    expect(got).toEqual(['commit 1', 'commit 3'])
  })

  it('delivers what was sent while the network was silent when it is back, on the same connections', async () => {
    const { got, proxy, server } = await given()
    const old = opened(proxy.url)
    await asked(old, 'commit 1')

    proxy.network = 'silent'
    const onOld = asked(old, 'commit 2')
    const onNew = asked(opened(proxy.url), 'commit 3')
    await asked(opened(server), 'commit 4')
    const duringSilence = [...got]
    proxy.network = 'up'

    expect(duringSilence.filter(Boolean)).toEqual(['commit 1', 'commit 4'])
    expect((await Promise.all([onOld, onNew])).map(({ isCut }) => isCut)).toEqual([false, false])
    expect(got.toSorted()).toEqual(['commit 1commit 2', 'commit 3', 'commit 4'])
  })
})
