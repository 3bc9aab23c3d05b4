// A pattern that is often recommended: 100 workers, 10 a domain, a token bucket polled inside the worker, backoff with jitter, a breaker without half-open.
import { get, isGood, perHost, Semaphore, sleepInSlot, workers, type Ground, type Pattern } from './ground.ts'

const RPS = 5
const BURST = 10
const POLL_MS = 100
const TRIP = 5
const OPEN_MS = 60_000
const MAX_RETRIES = 3

/**
 * The breaker as it is usually written down: a leaky count, not failures in a row; results of requests sent before it opened still move it; after
 * 60 s everybody waiting is let through at once; 429 counts as failure; the wait may be negative.
 */
class LeakyBreaker {
  #failures = 0
  #lastFailureAt = 0

  waitMs(now: number): number {
    return this.#failures >= TRIP ? OPEN_MS - (now - this.#lastFailureAt) : 0
  }

  settle(good: boolean, now: number): void {
    this.#failures = good ? Math.max(0, this.#failures - 1) : this.#failures + 1
    if (!good) this.#lastFailureAt = now
  }
}

/** Starts full: ten requests at once to a host that was never met. */
class PolledBucket {
  #tokens = BURST
  #filledAt: number

  constructor(now: number) {
    this.#filledAt = now
  }

  take(now: number): boolean {
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#filledAt) / 1_000) * RPS)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

/** Token bucket and breaker: the contestant `bucket, breaker`. */
export const bucketBreaker: Pattern = async (ground) => {
  const stateOf = perHost(() => ({
    permits: new Semaphore(10),
    bucket: new PolledBucket(ground.clock.now()),
    breaker: new LeakyBreaker(),
  }))
  const urls = ground.urls.values()
  await workers(
    100,
    () => urls.next().value,
    async (url) => {
      const { permits, bucket, breaker } = stateOf(url)
      const from = ground.clock.now()
      await permits.acquire()
      ground.parkedMs += ground.clock.now() - from
      for (let attempt = 0; attempt <= MAX_RETRIES; attempt++) {
        if (attempt > 0) await sleepInSlot(ground, backoffMs(attempt, ground))
        const waitMs = breaker.waitMs(ground.clock.now())
        if (waitMs > 0) await sleepInSlot(ground, waitMs)
        while (!bucket.take(ground.clock.now())) await sleepInSlot(ground, POLL_MS)
        const got = await get(ground, url, 30_000)
        // What the server understood and declined is nobody's failure.
        const answered = isGood(got) || ('status' in got && got.status < 500 && got.status !== 429)
        breaker.settle(answered, ground.clock.now())
        if (answered) break
      }
      permits.release()
    },
  )
}

function backoffMs(attempt: number, ground: Ground): number {
  return Math.min(60_000, 1_000 * 2 ** (attempt - 1)) + ground.chance() * 1_000
}
