// The header fields that the crawl sends, and who counts as named by the user: only those hosts get custom headers and may be private.
import type { Settings } from './settings.ts'

/** Header fields by host. */
export class Headers {
  readonly #named: ReadonlySet<string>
  readonly #everybody: Readonly<Record<string, string>>
  readonly #forNamed: Readonly<Record<string, string>>

  constructor({ userAgent, headers }: Pick<Settings, 'userAgent' | 'headers'>, named: ReadonlySet<string>) {
    this.#named = named
    this.#everybody = {
      'user-agent': userAgent,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-encoding': 'gzip, deflate, br, zstd',
    }
    this.#forNamed = { ...this.#everybody, ...headers }
  }

  /** Whether the user named this host: as a seed, or in the scope. */
  isNamed(hostKey: string): boolean {
    return this.#named.has(hostKey)
  }

  for(hostKey: string): Readonly<Record<string, string>> {
    return this.#named.has(hostKey) ? this.#forNamed : this.#everybody
  }
}
