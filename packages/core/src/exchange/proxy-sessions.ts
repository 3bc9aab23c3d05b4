// Through whose proxy a document goes that a host needs first: that of the session which its next request has, or the site would see another address, or be out
// of reach. While the proxy of one session rests, that of the next one in the queue.
import type { RequestQueue } from '../hosts/request-queue.ts'

/** Chooses it for one document. */
export class ProxySessions {
  /** Epoch ms until which the proxy of a session rests. */
  readonly #resting = new Map<string | undefined, number>()

  /** The session of which the proxy is to be used; undefined: that of the host. */
  next(queue: Pick<RequestQueue, 'sessions'>, now: number): string | undefined {
    const sessions = queue.sessions()
    return sessions.find((session) => this.#mayServe(session, now)) ?? sessions[0]
  }

  /** The proxy of `session` rests until then, epoch ms; whether that of another one may be used meanwhile. */
  rests(
    session: string | undefined,
    at: number,
    { queue, now }: { queue: Pick<RequestQueue, 'sessions'>; now: number },
  ): boolean {
    this.#resting.set(session, at)
    return queue.sessions().some((other) => this.#mayServe(other, now))
  }

  #mayServe(session: string | undefined, now: number): boolean {
    return (this.#resting.get(session) ?? 0) <= now
  }
}
