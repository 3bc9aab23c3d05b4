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
