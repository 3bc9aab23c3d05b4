// The web of the contest, whole or a part of it.
import { eightHundred, siteModel, type SiteModel } from '@avocet/simulator'

/** The first `sites` of the web of 800; they stand in a shuffled order there, so kinds keep their shares. URLs are clustered. */
export function contestWorld(seed: string, sites = 800): SiteModel {
  const whole = eightHundred({ seed })
  return sites >= whole.hosts.length ? whole : siteModel({ seed, hosts: whole.hosts.slice(0, sites) })
}
