// Chooses the session whose proxy fetches a document that a host needs first, such as robots.txt: the session of the next request, so that the site sees one
// address. While the proxy of that session rests, it is the session of the next one.
import type { LiveHost } from '../hosts/live-host.ts'
import type { Settings } from '../run/settings.ts'

/** Chooses it for one document. */
export class ProxySessions {
  /** Epoch ms until which the proxy of a session rests. */
  readonly #resting = new Map<string | undefined, number>()

  /** The session of which the proxy is to be used; undefined: that of the host. */
  next(host: Pick<LiveHost, 'sessions'>, now: number): string | undefined {
    const { sessions } = host
    return sessions.find((session) => this.#mayServe(session, now)) ?? sessions[0]
  }

  /** The proxy of `session` rests until then, epoch ms; whether that of another one may be used meanwhile. */
  rests(session: string | undefined, at: number, { host, now }: { host: Pick<LiveHost, 'sessions'>; now: number }): boolean {
    this.#resting.set(session, at)
    return host.sessions.some((other) => this.#mayServe(other, now))
  }

  #mayServe(session: string | undefined, now: number): boolean {
    return (this.#resting.get(session) ?? 0) <= now
  }
}

/** By name; undefined: that of a host. Seeds of a function may be of any session. */
export function sessionsAhead({ spider: { seeds }, sessions }: Pick<Settings, 'spider' | 'sessions'>): Set<string | undefined> {
  const ofSeeds =
    typeof seeds === 'function'
      ? [undefined, '(of a seed)']
      : seeds.map((seed) => (typeof seed === 'string' ? undefined : seed.session))
  return new Set([...sessions.keys(), ...ofSeeds])
}
