// When a command says that it waits for a store on a server.
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { saidWhereSlow, toldOfSlowStores } from '../src/store-kinds/slow-stores.ts'
import type { StoreKind } from '../src/store-kinds/store-kind.ts'

const ADDRESS = 'postgres://me:hidden@db.test/crawls?crawl=teas'

/** What is said, and when in ms, while a store is looked for twice that takes so long to answer. */
async function saidFor(answerMs: number): Promise<readonly (readonly [number, string])[]> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const said: [number, string][] = []
  const answered = (): Promise<boolean> => new Promise((done) => clock.at(clock.now() + answerMs, () => done(true)))
  const kind = saidWhereSlow({ exists: answered } as unknown as StoreKind)
  const say = (line: string): void => void said.push([clock.now() - startedAt, line])
  await clock.run(() =>
    toldOfSlowStores({ clock, say }, async () => {
      await kind.exists(ADDRESS)
      await kind.exists(ADDRESS)
    }),
  )
  return said
}

it('is said after 3 s, once for each store, and without its password', async () => {
  expect(await saidFor(15_000)).toEqual([
    [3_000, 'waiting for the store postgres://me@db.test/crawls?crawl=teas, which has not answered yet'],
  ])
})

it('is not said of a store that answers sooner', async () => {
  expect(await saidFor(2_900)).toEqual([])
})
