// The three simplest patterns: gather without limit, one semaphore, a queue with workers. 30 s a request, no retries.
import { get, Semaphore, workers, type Ground, type Pattern } from './ground.ts'

const TIMEOUT_MS = 30_000

/** Local ports that one address has for one target, by Linux' default range: what is above fails. The only limit that `gather` knows. */
const EPHEMERAL_PORTS = 28_000

/** `gather`: everything at once. */
export const gather: Pattern = async (ground) => {
  await Promise.all(ground.urls.slice(0, EPHEMERAL_PORTS).map((url) => get(ground, url, TIMEOUT_MS)))
}

/** `semaphore 50`: everything at once, behind one semaphore of 50. */
export const semaphore: Pattern = async (ground) => {
  const permits = new Semaphore(50)
  await Promise.all(
    ground.urls.map(async (url) => {
      await permits.acquire()
      await get(ground, url, TIMEOUT_MS)
      permits.release()
    }),
  )
}

/** `queue, 50 workers`. In this model it differs from `semaphore 50` in nothing that a server sees. */
export const queue: Pattern = async (ground: Ground) => {
  const urls = ground.urls.values()
  await workers(
    50,
    () => urls.next().value,
    async (url) => void (await get(ground, url, TIMEOUT_MS)),
  )
}
