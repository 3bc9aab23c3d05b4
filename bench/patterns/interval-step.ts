// An interval for each host that shrinks by a step and doubles at a refusal, waited for inside 100 workers.
import { get, isGood, perHost, sleepInSlot, workers, type Pattern } from './ground.ts'

const START_MS = 1_000
const STEP_MS = 50
const FLOOR_MS = 100
const CEILING_MS = 10_000
const MAX_ATTEMPTS = 10

/** A refused page goes back to the end of the queue, ten times at most. What already waits leaves at the old pace. */
export const intervalStep: Pattern = async (ground) => {
  const hostOf = perHost(() => ({ intervalMs: START_MS, nextAt: 0 }))
  const queue = [...ground.urls]
  const attempts = new Map<string, number>()
  let taken = 0
  await workers(
    100,
    () => queue[taken++],
    async (url) => {
      const host = hostOf(url)
      const at = Math.max(ground.clock.now(), host.nextAt)
      host.nextAt = at + host.intervalMs
      await sleepInSlot(ground, at - ground.clock.now())
      const got = await get(ground, url, 30_000)
      const refused = 'status' in got && (got.status === 429 || got.status === 503)
      if (isGood(got)) host.intervalMs = Math.max(FLOOR_MS, host.intervalMs - STEP_MS)
      else if (refused || 'code' in got) host.intervalMs = Math.min(CEILING_MS, host.intervalMs * 2)
      const attempt = (attempts.get(url) ?? 0) + 1
      attempts.set(url, attempt)
      if (refused && attempt < MAX_ATTEMPTS) queue.push(url)
    },
  )
}
