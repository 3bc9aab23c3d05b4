// Reads a hosts file: lines of an address and the names that it has (hosts(5)). Pure.
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'

/** Names in lower case, each with its addresses in the order of the file. */
export type HostsFile = ReadonlyMap<string, readonly LookupAddress[]>

/** Where this system keeps it. */
export const HOSTS_PATH: string =
  process.platform === 'win32' ? `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts` : '/etc/hosts'

/**
 * The names in `text`; lines that are none are passed over.
 *
 * @example
 * ```ts
 * readHostsFile('192.0.2.1 shop.test # ours').get('shop.test') // [{ address: '192.0.2.1', family: 4 }]
 * ```
 */
export function readHostsFile(text: string): HostsFile {
  const known = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      const addresses = known.get(name)
      if (addresses === undefined) known.set(name, [{ address, family }])
      else addresses.push({ address, family })
    }
  }
  return known
}
