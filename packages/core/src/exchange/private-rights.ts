// Who may be at a private address: what the user says of a host (`hosts`, `allowPrivate`), and an IP address or localhost in a seed or in the scope, which is
// meant as such. A name has no such right of its own: it means the host that answers for it, and that may change.
//
// Rights are those of a host with its port, also when hosts are keyed by domain: subdomains inherit none.
import { isIP } from 'node:net'
import type { HostOptions } from '../ports/host-options.ts'
import type { Request } from '../ports/request.ts'
import { hostKeyOf, hostnameOf } from '../url/host-key.ts'

/** What rights depend on. */
export interface PrivateRightsParts {
  readonly allowPrivate: boolean
  readonly hostKeying: 'host' | 'domain'
  /** `allowPrivate` and `http2` of `hosts`, for this host. */
  readonly privateOptions: (host: string) => Pick<HostOptions, 'allowPrivate' | 'http2'>
}

/** The rights of a run. */
export class PrivateRights {
  readonly #parts: PrivateRightsParts
  /** Hosts with their ports. */
  readonly #meant = new Set<string>()

  /** `named`: hosts of seeds and of the scope, with their ports. */
  constructor(parts: PrivateRightsParts, named: Iterable<string>) {
    this.#parts = parts
    for (const host of named) this.takeSeed(host)
  }

  /** A seed names `host`. */
  takeSeed(host: string): void {
    if (isMeant(hostnameOf(host))) this.#meant.add(host)
  }

  /** Whether `request` may go to a private address, and over HTTP/2. */
  of({ url, hostKey }: Pick<Request, 'url' | 'hostKey'>): { readonly privateAllowed: boolean; readonly http2: boolean } {
    const { allowPrivate, hostKeying, privateOptions } = this.#parts
    const host = hostKeying === 'host' ? hostKey : hostKeyOf(url, 'host')
    const options = privateOptions(host)
    return { privateAllowed: options.allowPrivate ?? (allowPrivate || this.#meant.has(host)), http2: options.http2 === 'auto' }
  }
}

/** Nobody writes an address, or localhost (RFC 6761 §6.3), who means another machine. */
function isMeant(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name.startsWith('[') || isIP(name) !== 0
}
