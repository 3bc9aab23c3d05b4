// Entries of `scope.hosts` that lack the port of the host that was probably meant: `127.0.0.1` where the seed is `http://127.0.0.1:8080/`.
import type { Scope } from '../spider.ts'
import { hostKeyOf, hostnameOf } from './host-key.ts'

/**
 * What is odd about entries without a port that are no seed's host while a seed of the same name has one. They mean the default port, so links to
 * that seed's port do not belong to the crawl by them. The `url` of a seed is in WHATWG form.
 */
export function portProblems({ hosts: entries = [] }: Scope = {}, seeds: readonly { readonly url: string }[]): string[] {
  if (entries.length === 0) return []
  const hosts = new Set(seeds.map(({ url }) => hostKeyOf(url, 'host')))
  const byName = new Map([...hosts].map((host) => [hostnameOf(host), host]))
  return entries.flatMap((entry) => {
    const url = URL.parse(`http://${entry}`)
    const host = url === null ? entry : hostKeyOf(url.href, 'host')
    const meant = byName.get(host)
    if (meant === undefined || hosts.has(host)) return []
    return [
      `scope.hosts: '${entry}' is the host of no seed, and a seed's host is '${meant}'; without a port an entry means the default one, so write '${meant}' if that is meant`,
    ]
  })
}
