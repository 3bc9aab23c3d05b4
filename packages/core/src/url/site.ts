// The site that a host belongs to: its registrable domain.
import { hostnameOf } from './host-key.ts'
import { registrableDomain } from './registrable-domain.ts'

/** The registrable domain of a host key; the name itself where it has none. `www.shop.example:8443` is of the site `shop.example`. */
export function siteOf(hostKey: string): string {
  return registrableDomain(hostnameOf(hostKey))
}
