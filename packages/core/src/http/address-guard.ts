// Decides which addresses and ports a crawl may connect to: a page must not make us talk to what only we can reach.
//
// Source of the ranges: IANA special-purpose address registries (RFC 6890). IPv4 inside IPv6 is judged by the IPv4 address, because a
// translator in the network would connect to that one: mapped (RFC 4291 §2.5.5.2) and NAT64 (RFC 6052). 6to4 and Teredo are refused
// whole: both are withdrawn, so nothing public is lost.
import { BlockList, isIP } from 'node:net'

/** IPv4 ranges that are not the public internet. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** IPv6 ranges that are not the public internet. `::/96` covers `::`, `::1` and the withdrawn IPv4-compatible form. */
const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

const PRIVATE = blockListOf(PRIVATE_V4, 'ipv4')
for (const [network, prefix] of PRIVATE_V6) PRIVATE.addSubnet(network, prefix, 'ipv6')

const NAT64 = blockListOf([['64:ff9b::', 96]], 'ipv6')

/** Ports that speak something else than HTTP. Source: Fetch Standard, "bad port". */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113,
  115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
  563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
  6668, 6669, 6679, 6697, 10080,
])

/**
 * Whether an address may only be connected to when the user named the host. What is not an address at all counts as private.
 *
 * @example
 * ```ts
 * isPrivateAddress('169.254.169.254') // true: a cloud's metadata service
 * isPrivateAddress('64:ff9b::7f00:1') // true: 127.0.0.1 through a translator
 * ```
 */
export function isPrivateAddress(address: string): boolean {
  const bare = address.split('%', 1)[0] ?? ''
  const family = isIP(bare)
  if (family === 0) return true
  if (family === 4) return PRIVATE.check(bare, 'ipv4')
  if (NAT64.check(bare, 'ipv6')) return PRIVATE.check(lastFourBytes(bare), 'ipv4')
  // BlockList applies the IPv4 rules to mapped addresses (::ffff:a.b.c.d) by itself.
  return PRIVATE.check(bare, 'ipv6')
}

/** Whether no crawl may ever speak HTTP to this port. */
export function isBadPort(port: number): boolean {
  return BAD_PORTS.has(port)
}

function blockListOf(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}

/** The IPv4 address in the low 32 bits of an IPv6 address, which the URL parser writes in its shortest form. */
function lastFourBytes(address: string): string {
  const host = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [high = '', low = ''] = host.split(':').slice(-2)
  const bits = Number.parseInt(high === '' ? '0' : high, 16) * 0x1_00_00 + Number.parseInt(low === '' ? '0' : low, 16)
  return [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join('.')
}
