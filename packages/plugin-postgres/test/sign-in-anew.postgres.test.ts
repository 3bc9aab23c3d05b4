// Whichever call is the first to find that its process was buried: it signs in anew, is answered, and nothing is left of what was known before.
import type { Frontier, SinkRecord } from '@avocet/core/store'
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it } from 'vitest'
import { WordIds } from '../src/names/word-ids.ts'
import { Refills } from '../src/refills.ts'
import { ServerStore } from '../src/store.ts'
import { ground, pageRequest } from './stores.ts'

const missing = postgresMissing()
const SPEC = { name: 'anew', hostKeying: 'host' }
const PAGE = pageRequest('http://a.test/1')

function mark(itemSeq: number): SinkRecord {
  return { name: 'rows', written: itemSeq, mark: { itemSeq } }
}

describe.skipIf(missing !== undefined)(`a process that was buried ${missing ?? ''}`, () => {
  const on = ground()

  /** What `sign_out` does to a process whose beat stood still, for all of them. */
  async function buried(): Promise<void> {
    const { schema } = on.store
    await on.client.query(`DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM "${schema}".process WHERE id > 0 LOOP
      PERFORM "${schema}".sign_out(r.id, r.token, NULL, true, '{}', 0, 'on'); END LOOP; END $$`)
  }

  async function opened(): Promise<Frontier> {
    const frontier = on.store.frontier()
    await frontier.open(SPEC, 0)
    return frontier
  }

  it.each<[string, (frontier: Frontier) => Promise<unknown>, unknown]>([
    ['takes a sink', (frontier) => frontier.sinks.claim('rows'), true],
    ['keeps the mark of a sink that nobody runs', (frontier) => frontier.sinks.keep(mark(1)), true],
    ['lets go of a sink', (frontier) => frontier.sinks.free('rows'), undefined],
    ['sets items aside', (frontier) => frontier.rejects.setAside([]), 0],
    ['forgets rejects', (frontier) => frontier.rejects.forget([1]), 0],
    ['adds seeds', (frontier) => frontier.add([PAGE]), { added: 1, known: 0 }],
    ['notes what the crawl remembers', (frontier) => frontier.note({ core: '[1,"new"]' }), undefined],
    ['says that it lives', (frontier) => frontier.renew([], 0), []],
  ])('%s, signed in anew', async (_what, call, answer) => {
    const frontier = await opened()
    await buried()

    expect(await call(frontier)).toEqual(answer)
    expect(frontier.sharing?.tenure?.term()).toBe(1)
    expect(await frontier.reader.info()).toMatchObject({ liveProcesses: 1 })
  })

  it('signs in anew where somebody else beats under its token: a copy of the machine, which has it as well', async () => {
    const frontier = await opened()
    await frontier.renew([], 0)
    const { rows } = await on.client.query<{ id: number; token: string }>(
      `SELECT id, token FROM "${on.store.schema}".process WHERE id > 0`,
    )
    await on.client.query(`SELECT "${on.store.schema}".beat($1, $2, 1, 0)`, [rows[0]?.id, rows[0]?.token])
    await frontier.renew([], 0)

    expect(frontier.sharing?.tenure?.term()).toBe(1)
  })

  it.each<[string, (frontier: Frontier) => Promise<unknown>]>([
    ['itself', () => Promise.resolve()],
    ['and the beat before it', (frontier) => frontier.renew([], 0)],
  ])('runs a sink no more until it takes it again, for others may have since: a mark finds that out %s', async (_who, first) => {
    const frontier = await opened()
    await frontier.sinks.claim('rows')
    await frontier.sinks.keep(mark(1))
    await buried()
    const other = await opened()
    await other.sinks.claim('rows')
    await other.sinks.keep(mark(2))
    await other.sinks.free('rows')
    await first(frontier)
    const kept = [await frontier.sinks.keep(mark(1)), await frontier.sinks.keep(mark(1))]
    const left = await frontier.sinks.get('rows')
    const again = [await frontier.sinks.claim('rows'), await frontier.sinks.keep(mark(3))]

    expect(kept).toEqual([false, false])
    expect(left).toEqual(mark(2))
    expect(again).toEqual([true, true])
  })

  it.each<[string, (frontier: Frontier) => Promise<unknown>]>([
    ['the claim of a sink', (frontier) => frontier.sinks.claim('rows')],
    ['what forgets a reject', (frontier) => frontier.rejects.forget([1])],
    ['a beat', (frontier) => frontier.renew([], 0)],
    ['a lease', (frontier) => frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })],
  ])('knows nothing of the store before at once, where %s found it to be another', async (_what, call) => {
    const frontier = await opened()
    await frontier.add([PAGE])
    await on.client.query(`DROP SCHEMA "${on.store.schema}" CASCADE`)
    await opened()

    await call(frontier)

    expect(await frontier.add([PAGE])).toEqual({ added: 1, known: 0 })
  })
})

/** A store whose process signs in anew while the first call is answered; `answers` come one after the other. */
function signingInMeanwhile(answers: unknown[]): ServerStore {
  let forget: () => void = () => {}
  const membership = {
    token: 'before',
    ensure: () => Promise.resolve(),
    signInAnew: () => Promise.resolve(),
    whenSignedInAnew: (call: () => void) => void (forget = call),
  }
  const answer = async (): Promise<unknown> => {
    const given = await Promise.resolve(answers.shift())
    membership.token = 'anew'
    forget()
    return given
  }
  const connections = { call: answer, all: answer }
  return new ServerStore({ connections, durability: 'on', membership } as never)
}

describe('an answer to the sign-in before', () => {
  it('refills no host, for its pages would be given to handlers of another store', async () => {
    const store = signingInMeanwhile([[[1], [[1]], [null]]])
    const host = { id: 1, epoch: 1, out: new Map() }
    const refills = new Refills(store, { held: () => host as never, handOut: () => Promise.resolve([{ id: 5 }] as never) })

    const refilled = await refills.ask({ token: { hostKey: 'a.test', epoch: 1 }, n: 1, now: 0, putBack: [] })

    expect(refilled).toEqual({ requests: [] })
  })
})

describe('a word that was asked for', () => {
  it.each(['learn', 'read'] as const)('is not kept where all were forgotten before the answer came: %s', async (how) => {
    const asked = Promise.withResolvers<void>()
    const answers = { call: () => asked.promise.then(() => [7]), all: () => asked.promise.then(() => [{ id: 7, word: 'start' }]) }
    const words = new WordIds(answers as never, 'handler')
    const call = how === 'learn' ? words.learn(['start']) : words.read([7])
    words.clear()
    asked.resolve()
    await call

    expect([words.idOf('start'), words.wordOf(7)]).toEqual([0, ''])
  })
})
