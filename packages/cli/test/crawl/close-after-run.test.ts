// How long the end of a run waits for a store that is to be closed.
import { AvocetError } from '@avocet/core'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { closeAfterRun } from '../../src/crawl/run-end.ts'

const AWAY = { code: 'AVO_FRONTIER_AWAY', message: 'expected an answer, got none' } as const

/** How long it took to close a store that takes 15 s for that. */
async function closedAfterMs(report: Parameters<typeof closeAfterRun>[0]['report']): Promise<number> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const close = (): Promise<void> => new Promise((closed) => clock.at(startedAt + 15_000, closed))
  await clock.run(() => closeAfterRun({ frontier: { close }, clock, report }))
  return clock.now() - startedAt
}

it('a server that could not be read at the end is waited for for 2 s, and not 15', async () => {
  expect(await closedAfterMs({ error: AWAY, withoutStore: true })).toBe(2_000)
})

it('any other store is waited for, and so is one that answered at the end', async () => {
  expect(await closedAfterMs({})).toBe(15_000)
  expect(await closedAfterMs({ error: AWAY })).toBe(15_000)
  expect(await closedAfterMs({ error: { ...AWAY, code: 'AVO_FRONTIER_FULL' }, withoutStore: true })).toBe(15_000)
})

it('what it says as it is closed counts only where nothing had failed before', async () => {
  const error = new AvocetError('AVO_FRONTIER_AWAY', AWAY.message)
  const closing = { frontier: { close: () => Promise.reject(error) }, clock: new VirtualClock() }

  await expect(closeAfterRun({ ...closing, report: {} })).rejects.toThrow(AWAY.message)
  await closeAfterRun({ ...closing, report: { error: AWAY } })
  await closeAfterRun({ ...closing, report: undefined })
})
