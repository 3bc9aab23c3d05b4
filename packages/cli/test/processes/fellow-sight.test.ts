// The page of several processes as its supervisor knows it: what it is told is added up, what it asks is asked while somebody looks, and no worker is waited for.
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@avocet/simulator'
import type { WorkerAnswer, PageQuestion } from '../../src/processes/page-questions.ts'
import type { FromWorker } from '../../src/processes/process-messages.ts'
import { FellowSight } from '../../src/ui/fellow-sight.ts'
import type { LiveCloseUp, LiveHosts } from '../../src/view/live-hosts.ts'
import type { SecondCounts } from '../../src/view/second-ring.ts'
import { scene } from '../view/view-scene.ts'

const TOTALS = { known: 1, waiting: 1, settled: 0, done: 0, moved: 0, failed: 0, items: 0 }
const HOST = 'a.example'

/** What a worker answers; undefined: nothing. */
type Answering = (question: PageQuestion) => WorkerAnswer | undefined

interface Fellows {
  readonly clock: VirtualClock
  readonly sight: FellowSight
  readonly asked: (readonly [number: number, question: PageQuestion])[]
  /** A worker opens the store, and answers like this from then on. */
  opens(number: number, answering: Answering): void
  /** A worker answers nothing more. */
  sleeps(number: number): void
  /** It answers what it was asked meanwhile. */
  wakes(number: number, answering: Answering): void
  /** A worker shows itself. */
  shows(number: number, ended: readonly SecondCounts[]): void
}

function fellows(): Fellows {
  const clock = new VirtualClock()
  const asked: (readonly [number, PageQuestion])[] = []
  const workers = new Map<number, Answering>()
  const unanswered: { readonly number: number; readonly id: number; readonly question: PageQuestion }[] = []
  const says = (number: number, message: FromWorker): void => sight.heard(number, message)
  const sight: FellowSight = new FellowSight({
    clock,
    scene: () => undefined,
    send(message, number) {
      if (message.kind !== 'ask') return
      const { id, question } = message
      asked.push([number, question])
      const answer = workers.get(number)?.(question)
      if (answer === undefined) unanswered.push({ number, id, question })
      else queueMicrotask(() => says(number, { kind: 'answer', id, answer }))
    },
  })
  return {
    ...{ clock, sight, asked },
    opens(number, answering) {
      workers.set(number, answering)
      says(number, { kind: 'opened', totals: TOTALS, resumed: false })
    },
    sleeps: (number) => void workers.set(number, () => undefined),
    wakes(number, answering) {
      workers.set(number, answering)
      for (const { id, question } of unanswered.splice(0)) {
        const answer = answering(question)
        if (answer) says(number, { kind: 'answer', id, answer })
      }
    },
    shows: (number, ended) => says(number, { kind: 'scene', scene: scene(), handled: 0, ended }),
  }
}

/** What ended in the second at `at`: so many refusals, and so many answers within each bucket. */
function second(at: number, refusals: number, latency: SecondCounts['latency']): SecondCounts {
  return { at, requests: latency.reduce((sum, [, answers]) => sum + answers, 0), refusals, failures: 0, latency }
}

/** A worker that has exchanges with the host at these times, and holds it or not. */
function withHost(times: readonly number[], isHeld: boolean): Answering {
  const exchanges = times.map((at) => {
    return { id: `${HOST} ${at}`, at, url: `http://${HOST}/${at}`, how: '200', isGood: true, durationMs: 5, verdict: 'accepted' }
  })
  const stretches = times.map((at) => ({ at: 0, requests: 1, refusals: 0, firstByteMs: [at] }))
  const explained = { readyAt: 0, atMost: 1, holds: [{ by: 'aimd', why: 'spacing', until: 9 }], values: { aimd: { rps: 2 } } }
  const host: LiveCloseUp = { exchanges, stretches, ...(isHeld && { explained }) }
  return ({ about }) => {
    if (about === 'hosts') {
      const atWork = isHeld ? [{ hostKey: HOST, waiting: 3, answered: 1, inFlight: 1 }] : []
      return { about, hosts: { atWork, parked: [] } }
    }
    if (about === 'rows')
      return { about, rows: [{ recent: [1, 0], ...(isHeld && { found: { foundRps: 2, breaker: 'closed' } }) }] }
    return { about, host }
  }
}

/** Lets virtual time go by. */
function after(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise((done) => void clock.at(clock.now() + ms, done))
}

describe('what workers tell', () => {
  it('is added up by second: a quantile is that of all answers, and not of the quantiles of each', () => {
    const { clock, sight, shows } = fellows()
    const at = clock.now()

    // Of 90 answers within 1 ms and 10 within about a second nine in ten are within 1 ms; each half of it says otherwise.
    shows(1, [second(at, 2, [[0, 90]])])
    shows(2, [second(at, 3, [[31, 10]])])

    expect(sight.refusals).toBe(5)
    expect(sight.lately(at + 1).points).toEqual([{ at, requests: 100, refusals: 5, failures: 0, halfMs: 1, nineInTenMs: 1 }])
  })

  it('stays when one of them dies, and goes on from there when it is started again', () => {
    const { clock, sight, shows } = fellows()
    const at = clock.now()
    shows(1, [second(at, 2, [[0, 2]])])
    shows(2, [second(at, 1, [[0, 1]])])

    sight.died(1)
    expect([sight.refusals, sight.lately(at).points[0]?.requests]).toEqual([3, 3])
    shows(1, [second(at, 1, [[0, 1]])])

    expect([sight.refusals, sight.lately(at).points[0]?.requests]).toEqual([4, 4])
  })

  it('counts though it ended before the last minutes: a worker that slept tells late, and changes no other second', () => {
    const { clock, sight, shows } = fellows()
    const at = clock.now()
    shows(1, [second(at, 0, [[0, 7]])])

    shows(2, [second(at - 600_000, 2, [[0, 2]])])

    expect(sight.refusals).toBe(2)
    expect(sight.lately(at).points.map(({ requests }) => requests)).toEqual([7])
  })
})

describe('what workers are asked', () => {
  it('is nothing while nobody looks', async () => {
    const { clock, sight, asked, opens, shows } = fellows()
    opens(1, withHost([1], true))

    await clock.run(() => after(clock, 60_000))
    shows(1, [second(clock.now(), 1, [[0, 1]])])

    expect([sight.refusals, sight.lately(clock.now()).points.length]).toEqual([1, 1])
    expect(asked).toEqual([])
  })

  it('is asked once a second however many look, and not of workers that have not opened the store', async () => {
    const { clock, sight, asked, opens } = fellows()
    opens(1, withHost([1], true))
    opens(2, withHost([2], false))

    await clock.run(async () => {
      for (let turn = 0; turn < 12; turn++) {
        await Promise.all(Array.from({ length: 8 }, () => sight.host(HOST)))
        await after(clock, 250)
      }
    })

    expect(asked.map(([number]) => number)).toEqual([1, 2, 1, 2, 1, 2])
  })

  it('is answered by all: exchanges of a host that moved are in order of time, none twice, and its holder says what holds it', async () => {
    const { clock, sight, opens } = fellows()
    opens(1, withHost([4, 2, 1], false))
    opens(2, withHost([5, 3], true))

    const host = await clock.run(() => sight.host(HOST))
    const { atWork } = await clock.run(() => sight.hosts())
    const rows = await clock.run(() => sight.rows([HOST]))

    expect(host.exchanges.map(({ at }) => at)).toEqual([5, 4, 3, 2, 1])
    expect(host.stretches.map(({ requests, firstByteMs }) => [requests, firstByteMs.toSorted()])).toEqual([[5, [1, 2, 3, 4, 5]]])
    expect(host.explained?.holds).toEqual([{ by: 'aimd', why: 'spacing', until: 9 }])
    expect(atWork.map(({ hostKey, inFlight }) => [hostKey, inFlight])).toEqual([[HOST, 1]])
    expect(rows.get(HOST)).toEqual({ found: { foundRps: 2, breaker: 'closed' }, recent: [2, 0] })
  })

  it('has each host once where it changes hands: with what is in flight, and at work rather than parked', async () => {
    const { clock, sight, opens } = fellows()
    const hold = { by: 'breaker', why: 'open', until: 9 }
    const telling =
      (hosts: LiveHosts): Answering =>
      ({ about }) =>
        about === 'hosts' ? { about, hosts } : undefined
    const host = { hostKey: HOST, waiting: 3, answered: 1 }
    const parked = ['b.example', 'c.example'].map((hostKey) => ({ hostKey, hold }))
    opens(1, telling({ atWork: [{ ...host, inFlight: 1 }], parked }))
    opens(
      2,
      telling({
        atWork: [
          { ...host, inFlight: 0 },
          { ...host, hostKey: 'b.example', inFlight: 0 },
        ],
        parked,
      }),
    )

    const hosts = await clock.run(() => sight.hosts())

    expect(hosts.atWork.map(({ hostKey, inFlight }) => [hostKey, inFlight])).toEqual([
      [HOST, 1],
      ['b.example', 0],
    ])
    expect(hosts.parked).toEqual([{ hostKey: 'c.example', hold }])
  })

  it('leaves out a worker that does not answer within half a second, and does not wait for it again before it does', async () => {
    const { clock, sight, opens, sleeps, wakes } = fellows()
    opens(1, withHost([1], true))
    opens(2, withHost([2], false))
    sleeps(2)
    const began = clock.now()

    const first = await clock.run(() => sight.host(HOST))
    expect([first.exchanges.map(({ at }) => at), clock.now() - began]).toEqual([[1], 500])
    const other = await clock.run(() => sight.host('b.example'))
    expect([other.exchanges.length, clock.now() - began]).toEqual([1, 500])

    wakes(2, withHost([2], false))
    const last = await clock.run(() => sight.host(HOST))
    expect(last.exchanges.map(({ at }) => at)).toEqual([2, 1])
  })

  it('does not wait for a worker that cannot answer', async () => {
    const { clock, sight, opens } = fellows()
    opens(1, withHost([1], true))
    opens(2, () => ({ about: 'nothing' }))
    const began = clock.now()

    const host = await clock.run(() => sight.host(HOST))

    expect([host.exchanges.map(({ at }) => at), clock.now() - began]).toEqual([[1], 0])
  })

  it('does not pile up for a worker that is asleep', async () => {
    const { clock, sight, asked, opens, sleeps } = fellows()
    opens(1, withHost([1], true))
    opens(2, withHost([2], false))
    sleeps(2)

    await clock.run(async () => {
      for (let n = 0; n < 100; n++) {
        await sight.host(`${n}.example`)
        await after(clock, 1_000)
      }
    })

    expect(asked.filter(([number]) => number === 1)).toHaveLength(100)
    expect(asked.filter(([number]) => number === 2)).toHaveLength(32)
  })

  it('is no longer of now after five seconds of silence, but for exchanges, which were', async () => {
    const { clock, sight, opens, sleeps } = fellows()
    opens(1, withHost([1], true))
    await clock.run(async () => [await sight.host(HOST), await sight.hosts()])

    sleeps(1)
    await clock.run(() => after(clock, 6_000))
    const [host, hosts] = await clock.run(async () => [await sight.host(HOST), await sight.hosts()] as const)

    expect([host.explained, host.exchanges.map(({ at }) => at)]).toEqual([undefined, [1]])
    expect(hosts.atWork).toEqual([])
  })

  it('keeps the exchanges of a host that is looked at when its worker dies, and those of the next one beside them', async () => {
    const { clock, sight, opens } = fellows()
    opens(1, withHost([2, 1], true))
    await clock.run(() => sight.host(HOST))

    for (const at of [3, 4]) {
      sight.died(1)
      const dead = await clock.run(() => sight.host(HOST))
      expect([dead.explained, dead.exchanges.at(-1)?.at]).toEqual([undefined, 1])
      opens(1, withHost([at], true))
      await clock.run(() => after(clock, 6_000))
      await clock.run(() => sight.host(HOST))
    }

    const host = await clock.run(() => sight.host(HOST))
    expect(host.exchanges.map(({ at }) => at)).toEqual([4, 3, 2, 1])
    expect(host.explained).toBeDefined()
  })
})
