// Decides which addresses a crawl may connect to: a page must not make us talk to what only we can reach.
//
// By an allow list: IPv4 unicast, and of IPv6 the global unicast space (2000::/3), which is all that was ever assigned to hosts of the internet (IANA IPv6
// address space). From these the special blocks below that are not globally reachable are taken, each as a whole: the exceptions inside
// them (PCP, TURN, AMT, …) are services of the nearest device, which is ours, and no web site.
//
// IPv4 inside IPv6 is judged by the IPv4 address where the system or a translator would connect to that one: mapped (RFC 4291 §2.5.5.2), NAT64 (RFC 6052)
// and ISATAP (RFC 5214 §6.1). The other forms are refused whole, with any address inside: compatible and translated (RFC 2765) are outside 2000::/3, 6to4,
// Teredo and local NAT64 are in the registry. Unknown is only a translator's prefix of its own (RFC 6052 §2.2), which looks like any public address.
import { BlockList, isIP } from 'node:net'

// Addresses with a special purpose: the IANA registries of both families, row by row, as they were on 2025-10-09.
//
// Sources: https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry (RFC 6890, RFC 8190). A test compares this table
// with a copy of the registries. To update: replace the copy, run the test, change what it names, and the date here.

/** A block of addresses. `isReachable`: the column "Globally Reachable"; "N/A", which deprecated blocks have, is no. */
export interface SpecialBlock {
  readonly network: string
  readonly prefix: number
  readonly isReachable: boolean
}

const no = (network: string, prefix: number): SpecialBlock => ({ network, prefix, isReachable: false })
const yes = (network: string, prefix: number): SpecialBlock => ({ network, prefix, isReachable: true })

/** IPv4 Special-Purpose Address Registry, 2025-10-09. */
export const SPECIAL_V4: readonly SpecialBlock[] = [
  no('0.0.0.0', 8), // "This network", RFC 791
  no('0.0.0.0', 32), // "This host on this network", RFC 1122
  no('10.0.0.0', 8), // Private use, RFC 1918
  no('100.64.0.0', 10), // Shared address space, RFC 6598
  no('127.0.0.0', 8), // Loopback, RFC 1122
  no('169.254.0.0', 16), // Link local, RFC 3927
  no('172.16.0.0', 12), // Private use, RFC 1918
  no('192.0.0.0', 24), // IETF protocol assignments, RFC 6890
  no('192.0.0.0', 29), // IPv4 service continuity prefix, RFC 7335
  no('192.0.0.8', 32), // IPv4 dummy address, RFC 7600
  yes('192.0.0.9', 32), // Port Control Protocol anycast, RFC 7723
  yes('192.0.0.10', 32), // TURN anycast, RFC 8155
  no('192.0.0.170', 32), // NAT64/DNS64 discovery, RFC 8880
  no('192.0.0.171', 32), // NAT64/DNS64 discovery, RFC 8880
  no('192.0.2.0', 24), // Documentation (TEST-NET-1), RFC 5737
  yes('192.31.196.0', 24), // AS112-v4, RFC 7535
  yes('192.52.193.0', 24), // AMT, RFC 7450
  no('192.88.99.0', 24), // Deprecated (6to4 relay anycast), RFC 7526
  no('192.88.99.2', 32), // 6a44 relay anycast, RFC 6751
  no('192.168.0.0', 16), // Private use, RFC 1918
  yes('192.175.48.0', 24), // Direct delegation AS112 service, RFC 7534
  no('198.18.0.0', 15), // Benchmarking, RFC 2544
  no('198.51.100.0', 24), // Documentation (TEST-NET-2), RFC 5737
  no('203.0.113.0', 24), // Documentation (TEST-NET-3), RFC 5737
  no('240.0.0.0', 4), // Reserved, RFC 1112
  no('255.255.255.255', 32), // Limited broadcast, RFC 919
]

/** IPv6 Special-Purpose Address Registry, 2025-10-09. */
export const SPECIAL_V6: readonly SpecialBlock[] = [
  no('::1', 128), // Loopback, RFC 4291
  no('::', 128), // Unspecified, RFC 4291
  no('::ffff:0:0', 96), // IPv4-mapped, RFC 4291
  yes('64:ff9b::', 96), // IPv4-IPv6 translation, RFC 6052
  no('64:ff9b:1::', 48), // IPv4-IPv6 translation, local use, RFC 8215
  no('100::', 64), // Discard only, RFC 6666
  no('100:0:0:1::', 64), // Dummy prefix, RFC 9780
  no('2001::', 23), // IETF protocol assignments, RFC 2928
  no('2001::', 32), // Teredo, RFC 4380
  yes('2001:1::1', 128), // Port Control Protocol anycast, RFC 7723
  yes('2001:1::2', 128), // TURN anycast, RFC 8155
  yes('2001:1::3', 128), // DNS-SD service registration anycast, RFC 9665
  no('2001:2::', 48), // Benchmarking, RFC 5180
  yes('2001:3::', 32), // AMT, RFC 7450
  yes('2001:4:112::', 48), // AS112-v6, RFC 7535
  no('2001:10::', 28), // Deprecated (ORCHID), RFC 4843
  yes('2001:20::', 28), // ORCHIDv2, RFC 7343
  yes('2001:30::', 28), // Drone remote ID, RFC 9374
  no('2001:db8::', 32), // Documentation, RFC 3849
  no('2002::', 16), // 6to4, RFC 3056
  yes('2620:4f:8000::', 48), // Direct delegation AS112 service, RFC 7534
  no('3fff::', 20), // Documentation, RFC 9637
  no('5f00::', 16), // Segment routing (SRv6) SIDs, RFC 9602
  no('fc00::', 7), // Unique local, RFC 4193
  no('fe80::', 10), // Link local, RFC 4291
]

/** Lists of one family each: BlockList takes an IPv4 address for the mapped one, so the block of mapped addresses would refuse all of IPv4. */
const UNICAST = { ipv4: new BlockList(), ipv6: new BlockList() }

// To 223.255.255.255: what follows is multicast and reserved.
UNICAST.ipv4.addRange('0.0.0.0', '223.255.255.255', 'ipv4')
UNICAST.ipv6.addSubnet('2000::', 3, 'ipv6')
const REFUSED = { ipv4: refusedOf(SPECIAL_V4, 'ipv4'), ipv6: refusedOf(SPECIAL_V6, 'ipv6') }

/**
 * Whether an address may only be connected to when the user allowed it: it is not globally reachable, or it is reserved. What is not an address at all
 * counts as private.
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
  if (family === 4) return !isGlobal(bare, 'ipv4')
  return family === 0 || !isGlobalV6(bare)
}

function isGlobal(address: string, family: 'ipv4' | 'ipv6'): boolean {
  return UNICAST[family].check(address, family) && !REFUSED[family].check(address, family)
}

function refusedOf(blocks: readonly SpecialBlock[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const { network, prefix, isReachable } of blocks) if (!isReachable) list.addSubnet(network, prefix, family)
  return list
}

function isGlobalV6(address: string): boolean {
  const groups = ipv6Groups(address)
  const form = embedding(groups)
  if (form !== undefined && !isGlobal(lastFourBytes(groups), 'ipv4')) return false
  return form === 'alone' || isGlobal(address, 'ipv6')
}

/** Whether the last 32 bits are an IPv4 address that a packet to this one would go to: in place of it, or behind a prefix that counts as well. */
function embedding(groups: readonly number[]): 'alone' | 'behind' | undefined {
  const [a, b, c, d, e = 0, f] = groups
  const noneBetween = c === 0 && d === 0 && e === 0
  if (noneBetween && a === 0 && b === 0 && f === 0xffff) return 'alone'
  if (noneBetween && a === 0x64 && b === 0xff9b && f === 0) return 'alone'
  // 0200: the universal bit, for IPv4 addresses that are unique.
  return f === 0x5efe && (e === 0 || e === 0x0200) ? 'behind' : undefined
}

function lastFourBytes(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(-2)
  return [high >>> 8, high & 255, low >>> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address. The URL parser writes every form of an address in one way: hexadecimal, with at most one gap. */
export function ipv6Groups(address: string): readonly number[] {
  const host = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [front, back = []] = host.split('::').map((half) => (half === '' ? [] : half.split(':')))
  if (front === undefined) return []
  const gap = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...gap, ...back].map((group) => Number.parseInt(group, 16))
}
