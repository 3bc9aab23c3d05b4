// One request per second and domain, waited for under the domain's lock; as many connections as there are URLs.
import { get, perHost, Semaphore, sleepInSlot, type Pattern } from './ground.ts'

const GAP_MS = 1_000

/** Exact, but serial: whoever waits for the lock waits for the sleep of everyone before. No retries; 30 s a request. */
export const hostLock: Pattern = async (ground) => {
  const hostOf = perHost(() => ({ lock: new Semaphore(1), lastAt: -Infinity }))
  await Promise.all(
    ground.urls.map(async (url) => {
      const host = hostOf(url)
      await host.lock.acquire()
      const waitMs = host.lastAt + GAP_MS - ground.clock.now()
      if (waitMs > 0) await sleepInSlot(ground, waitMs)
      host.lastAt = ground.clock.now()
      host.lock.release()
      await get(ground, url, 30_000)
    }),
  )
}
