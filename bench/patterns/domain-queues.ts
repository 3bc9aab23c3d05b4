// A queue for each domain, 50 workers that take from them in turn, and a timeout that follows the mean. No retries.
import { get, isGood, perHost, workers, type Pattern } from './ground.ts'

/** The contestant `domain queues`. The timeout is clamp(3 × mean, 5 s, 30 s); only successes move the mean, so a site slower than 6 s never gets one. */
export const domainQueues: Pattern = async (ground) => {
  const queues = new Map<string, string[]>()
  for (const url of ground.urls) {
    const { host } = new URL(url)
    const queue = queues.get(host) ?? []
    queue.push(url)
    queues.set(host, queue)
  }
  const turns = [...queues.values()]
  const next = (): string | undefined => {
    const queue = turns.shift()
    const url = queue?.shift()
    if (queue !== undefined && queue.length > 0) turns.push(queue)
    return url
  }
  const meanOf = perHost(() => ({ seconds: 2 }))
  await workers(50, next, async (url) => {
    const mean = meanOf(url)
    const got = await get(ground, url, Math.min(30, Math.max(5, 3 * mean.seconds)) * 1_000)
    if (isGood(got)) mean.seconds = 0.8 * mean.seconds + 0.2 * (got.ms / 1_000)
  })
}
