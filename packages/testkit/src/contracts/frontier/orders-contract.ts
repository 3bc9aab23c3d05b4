// Contract: orders of operators.
import { Orders } from '@avocet/at-rest'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { openedWith, SPEC } from './story.ts'

/** What `order` and `reader.orders` promise; `shared`: also of several processes. */
export function ordersContract(make: () => FrontierStore, { shared }: { readonly shared: boolean }): void {
  describe('orders of operators', () => {
    it('have moments that rise, at the earliest when they were given, and are read behind one that is known', async () => {
      const { store, frontier } = await openedWith(make)
      await frontier.order(['"a"', '"b"'], { now: 5_000, drop: [] })
      await frontier.order(['"c"'], { now: 7, drop: [] })
      await frontier.order(['"d"'], { now: 9_000, drop: [5_000, 5_001] })
      await frontier.close()

      const { reader, ...next } = store.frontier()
      await next.open(SPEC, 9_000)
      const [c, d] = [
        { at: 5_002, json: '"c"' },
        { at: 9_000, json: '"d"' },
      ]
      expect(await reader.orders(0)).toEqual([c, d])
      expect(await reader.orders(5_002)).toEqual([d])
      expect(await reader.orders(9_000)).toEqual([])
      await next.close()
    })

    it.runIf(shared)('are heard by all processes; of those that are given at once none is lost', async () => {
      const { store, frontier } = await openedWith(make)
      const other = store.frontier()
      await other.open(SPEC, 0)
      const [seen, keys] = [new Orders(), [1, 2, 3, 4].map((n) => `h${n}.example`)]

      const orders = keys.map((hostKey, n) =>
        Orders.give(n % 2 === 0 ? frontier : other, { kind: 'forget-host', hostKey }, 5_000),
      )
      await Promise.all(orders)

      expect([...(await seen.hear(frontier.reader)).hosts].sort()).toEqual(keys)
      await Orders.give(other, { kind: 'pause' }, 1)
      expect(await seen.hear(frontier.reader)).toMatchObject({ paused: true, hosts: [] })
      await other.close()
      await frontier.close()
    })
  })
}
