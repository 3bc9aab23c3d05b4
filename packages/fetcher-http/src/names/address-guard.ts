// Decides which addresses a crawl may connect to: a page must not make us talk to what only we can reach.
//
// By an allow list: IPv4 unicast, and of IPv6 the global unicast space (2000::/3), which is all that was ever assigned to hosts of the internet (IANA IPv6
// address space). From these the blocks of special-addresses.ts that are not globally reachable are taken, each as a whole: the exceptions inside
// them (PCP, TURN, AMT, …) are services of the nearest device, which is ours, and no web site.
//
// IPv4 inside IPv6 is judged by the IPv4 address where the system or a translator would connect to that one: mapped (RFC 4291 §2.5.5.2), NAT64 (RFC 6052)
// and ISATAP (RFC 5214 §6.1). The other forms are refused whole, with any address inside: compatible and translated (RFC 2765) are outside 2000::/3, 6to4,
// Teredo and local NAT64 are in the registry. Unknown is only a translator's prefix of its own (RFC 6052 §2.2), which looks like any public address.
import { BlockList, isIP } from 'node:net'
import { SPECIAL_V4, SPECIAL_V6, type SpecialBlock } from './special-addresses.ts'

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
