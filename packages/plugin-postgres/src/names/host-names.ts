// Ids and origins of hosts by key, as far as they are at hand: links go to few hosts, again and again. Neither ever changes in a
// store.

/** How many are kept. */
const MAX_KEPT = 16_384

/** A host of the store. */
export interface NamedHost {
  readonly id: number
  /** Of the first URL that was met: other URLs of this host are stored whole. */
  readonly origin: string
}

/** Hosts that this process has met. */
export class HostNames {
  readonly #hosts = new Map<string, NamedHost>()

  get(key: string): NamedHost | undefined {
    return this.#hosts.get(key)
  }

  set(key: string, host: NamedHost): void {
    if (this.#hosts.size >= MAX_KEPT) this.#hosts.clear()
    this.#hosts.set(key, host)
  }

  clear(): void {
    this.#hosts.clear()
  }
}

/** What all URLs of a host begin with, as far as its first URL tells. */
export function firstOriginOf(url: string): string {
  return url.slice(0, Math.max(url.indexOf('/', url.indexOf('//') + 2), 0)) || url
}
