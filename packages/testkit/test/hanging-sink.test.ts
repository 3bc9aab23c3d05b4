// A sink that does not answer: since when, before its time is up and once nobody waits for it any more.
import type { Sink } from '@avocet/core/sink'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { ItemStore } from '../src/contracts/sink/item-store.ts'

async function hangingFor(ms: number) {
  const clock = new VirtualClock()
  const store = await ItemStore.with(3)
  const hook: Sink = { name: 'hook', write: () => new Promise(() => {}) }
  const delivery = store.delivery(hook, clock)
  await delivery.open()
  const askedAt = clock.now()
  delivery.begin()
  await clock.advance(ms)
  const waitedSince = delivery.status.waitedSince
  await delivery.close()
  return { waitedSince, askedAt, status: delivery.status, kept: await store.frontier.sinks.get('hook') }
}

it('is said to be waited for, and is in trouble when the run ends before it has answered', async () => {
  const { waitedSince, askedAt, status, kept } = await hangingFor(20_000)

  expect(waitedSince).toBe(askedAt)
  expect(status).toMatchObject({ behind: 3, failingSince: askedAt, error: 'it has not answered for 20 s' })
  expect(kept).toMatchObject({ trouble: { since: askedAt, error: 'it has not answered for 20 s' } })
})

it('is in no trouble when it is let go of within five seconds', async () => {
  const { waitedSince, askedAt, status } = await hangingFor(4_000)

  expect(waitedSince).toBe(askedAt)
  expect(status).toEqual({ name: 'hook', written: 0, behind: 3, setAside: 0 })
})
