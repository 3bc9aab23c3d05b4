// Who may be at a private address: what the user says of a host (`hosts`, `allowPrivate`), and otherwise what the user named and meant.
//
// An IP address or localhost in a seed or in the scope is meant as such. A name means the host that answers for it, and that may change: it has the right only
// if it led to a private address when the crawl was made. So names are looked up once, when a crawl begins that has not looked them up yet, and what came is
// kept in the crawl's memory; a DNS that is changed to lead inside afterwards leads nowhere, and neither does one that gives no answer then. Nothing waits for
// the look-ups but the first exchange of a host whose own is not over. Rights are those of a host with its port, also when hosts are keyed by domain:
// subdomains inherit none.
import { isIP } from 'node:net'
import type { Clock } from '../ports/clock.ts'
import type { Fetcher } from '../ports/fetcher.ts'
import type { HostOptions } from '../ports/host-options.ts'
import type { CoreCrawlMemory } from '../hosts/core-memory.ts'
import type { Request } from '../ports/request.ts'
import { hostKeyOf, hostnameOf } from '../url/host-key.ts'

/** Names that are looked up, at most: others count as public. As many as the cache of names holds, so that each is looked up once. */
const MAX_NAMES = 10_000
/** Names remembered as private, at most: a crawl of more inner hosts needs `allowPrivate`. */
const MAX_PRIVATE = 1_000
/** As long as a look-up may take. */
const PATIENCE_MS = 10_000

/** What rights depend on. */
export interface PrivateRightsParts {
  readonly allowPrivate: boolean
  readonly hostKeying: 'host' | 'domain'
  /** `allowPrivate` of `hosts`, for this host. */
  readonly privateOptionOf: (host: string) => Pick<HostOptions, 'allowPrivate'>
  readonly fetcher: { readonly leadsInside?: Fetcher['leadsInside'] | undefined }
  readonly clock: Clock
  readonly memory: Pick<CoreCrawlMemory, 'privateHosts'>
}

/** The rights of a run. */
export class PrivateRights {
  readonly #parts: PrivateRightsParts
  /** Of hosts (with their ports) that the user named; what is absent has none. */
  readonly #rights = new Map<string, true | Promise<boolean>>()

  /** `named`: hosts of seeds and of the scope, with their ports. */
  constructor(parts: PrivateRightsParts, named: Iterable<string>) {
    this.#parts = parts
    if (!parts.allowPrivate) this.#judge(named)
  }

  /** A seed that was read later names `host`: an address is meant as such. A name counts as public, unless an earlier run found it to be private. */
  takeSeed(host: string): void {
    const { allowPrivate, memory } = this.#parts
    const name = hostnameOf(host)
    if (!allowPrivate && (isMeant(name) || memory.privateHosts?.includes(name) === true)) this.#rights.set(host, true)
  }

  /** Whether `request` may go to a private address; a promise while its name is looked up. */
  of({ url, hostKey }: Pick<Request, 'url' | 'hostKey'>): boolean | Promise<boolean> {
    const { allowPrivate, hostKeying, privateOptionOf } = this.#parts
    const host = hostKeying === 'host' ? hostKey : hostKeyOf(url, 'host')
    return privateOptionOf(host).allowPrivate ?? (allowPrivate || (this.#rights.get(host) ?? false))
  }

  #judge(named: Iterable<string>): void {
    const { memory, privateOptionOf, fetcher } = this.#parts
    const known = memory.privateHosts && new Set(memory.privateHosts)
    const unknown = new Map<string, string[]>()
    for (const host of named) {
      const name = hostnameOf(host)
      if (privateOptionOf(host).allowPrivate !== undefined) continue
      if (isMeant(name) || known?.has(name)) this.#rights.set(host, true)
      else if (known === undefined && (unknown.has(name) || unknown.size < MAX_NAMES))
        unknown.set(name, [...(unknown.get(name) ?? []), host])
    }
    if (known === undefined && fetcher.leadsInside !== undefined) this.#lookUp(unknown)
  }

  #lookUp(hostsOf: ReadonlyMap<string, readonly string[]>): void {
    const { clock, memory } = this.#parts
    const found: string[] = []
    const late = Promise.withResolvers<false>()
    const deadline = clock.at(clock.now() + PATIENCE_MS, () => late.resolve(false))
    const looking = [...hostsOf].map(async ([name, hosts]) => {
      const right = Promise.race([this.#isPrivate(name), late.promise])
      for (const host of hosts) this.#rights.set(host, right)
      const isPrivate = (await right) && found.length < MAX_PRIVATE
      if (isPrivate) found.push(name)
      for (const host of hosts)
        if (isPrivate) this.#rights.set(host, true)
        else this.#rights.delete(host)
    })
    void Promise.all(looking).then(() => {
      deadline[Symbol.dispose]()
      memory.privateHosts = found.toSorted()
    })
  }

  async #isPrivate(name: string): Promise<boolean> {
    return (await this.#parts.fetcher.leadsInside?.(name).catch(() => false)) ?? false
  }
}

/** Nobody writes an address, or localhost (RFC 6761 §6.3), who means another machine. */
function isMeant(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name.startsWith('[') || isIP(name) !== 0
}
