// Thousands of held items that are published while other processes crawl: in small transactions, each item once also over kills.
import type { Frontier } from '@avocet/core/store'
import { leaseOne, newRequest, SPEC, unitOf } from '../../testkit/src/contracts/frontier/story.ts'
import { VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from './stores.ts'

const HELD = 2_500

/** A store with one page whose items are held, and what opens it once more. */
async function withHeld(): Promise<{ clock: VirtualClock; store: ReturnType<typeof sqliteStore>; opened(): Promise<Frontier> }> {
  const clock = new VirtualClock()
  const store = sqliteStore({ clock })
  onTestFinished(() => store.dispose())
  const opened = async (): Promise<Frontier> => {
    const frontier = store.frontier()
    await frontier.open(SPEC, 0)
    return frontier
  }
  const frontier = await opened()
  await frontier.add([newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  const items = Array.from({ length: HELD }, (_, n) => ({
    json: `{"sku":${n}}`,
    watched: { key: String(n), value: '{"price":1}' },
  }))
  await frontier.commit([unitOf(lease, lease.requests[0], { watch: { shows: 'some' }, held: { items, reason: 'odd' } })])
  return { clock, store, opened }
}

const PUBLISHED = { kind: 'settle-held', hostKey: 'a.example', to: 'publish' } as const

it('lets another process write before all of them are published', async () => {
  const { clock, opened } = await withHeld()
  const [one, other] = [await opened(), await opened()]
  const order: string[] = []

  const [settled] = await clock.run(() =>
    Promise.all([
      one.change(PUBLISHED).finally(() => order.push('published')),
      other.order(['{}'], { now: 1, drop: [] }).finally(() => order.push('written')),
    ]),
  )

  expect(settled).toBe(HELD)
  expect(order).toEqual(['written', 'published'])
})

it('publishes all of them while virtual time stands still', async () => {
  const { clock, opened } = await withHeld()
  const one = await opened()

  using _hold = clock.hold('a handler')
  const settled = await clock.run(() => one.change(PUBLISHED))

  expect(settled).toBe(HELD)
})

it('publishes each of them once where the process that does is killed', async () => {
  const { clock, store, opened } = await withHeld()
  const [one, other] = [await opened(), await opened()]
  await clock.run(() =>
    Promise.all([one.change(PUBLISHED), other.order(['{}'], { now: 1, drop: [] }).then(() => store.crash?.())]),
  )

  const after = await opened()
  const left = await after.reader.rejects({})
  expect(left.length).toBeGreaterThan(0)
  expect(await clock.run(() => after.change(PUBLISHED))).toBe(left.length)

  const skus = (await after.reader.items({})).map(({ json }) => json)
  expect([skus.length, new Set(skus).size]).toEqual([HELD, HELD])
  expect((await after.reader.changes({})).map(({ key }) => key)).toEqual(Array.from({ length: HELD }, (_, n) => String(n)))
  expect(await after.reader.rejects({})).toEqual([])
})
