// Walks the registries of special-purpose addresses, and the forms in which an IPv6 address carries an IPv4 address.
import { describe, expect, it } from 'vitest'
import { isPrivateAddress, SPECIAL_V4, SPECIAL_V6, type SpecialBlock } from '../../src/names/address-guard.ts'
import { IPV4_REGISTRY, IPV6_REGISTRY } from './fixtures/special-registries.ts'

interface Row {
  readonly block: string
  readonly first: string
  readonly last: string
  readonly isReachable: boolean
}

function rowsOf(registry: string): readonly Row[] {
  return registry
    .trim()
    .split('\n')
    .map((line) => {
      const [block = '', reachable] = line.split(' ')
      const [first = '', prefix] = block.split('/')
      return { block, first, last: lastOf(first, Number(prefix)), isReachable: reachable === 'True' }
    })
}

/** The last address of a block. */
function lastOf(network: string, prefix: number): string {
  const isV4 = network.includes('.')
  const [width, base] = isV4 ? [8, 10] : [16, 16]
  const parts = (isV4 ? network.split('.') : expanded(network)).map((part) => Number.parseInt(part, base))
  const filled = parts.map((part, n) => {
    const free = Math.min(width, Math.max(0, (n + 1) * width - prefix))
    return (part | (2 ** free - 1)).toString(base)
  })
  return filled.join(isV4 ? '.' : ':')
}

function expanded(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const [front, back] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  if (tail === undefined || front === undefined || back === undefined) return head.split(':')
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => '0'), ...back]
}

const textOf = (blocks: readonly SpecialBlock[]): string[] =>
  blocks.map(({ network, prefix, isReachable }) => `${network}/${prefix} ${isReachable}`)

describe('special-purpose addresses', () => {
  it.each([
    ['IPv4', IPV4_REGISTRY, SPECIAL_V4],
    ['IPv6', IPV6_REGISTRY, SPECIAL_V6],
  ] as const)('are those of the %s registry', (_family, registry, table) => {
    expect(textOf(table)).toEqual(rowsOf(registry).map(({ block, isReachable }) => `${block} ${isReachable}`))
  })

  it('are refused where the registries say that they are not globally reachable', () => {
    const refused = [...rowsOf(IPV4_REGISTRY), ...rowsOf(IPV6_REGISTRY)].filter(({ isReachable }) => !isReachable)
    // Mapped addresses are IPv4 addresses in the notation of sockets: 255.255.255.255 is the last.
    const open = refused.flatMap(({ first, last }) => [first, last]).filter((address) => !isPrivateAddress(address))

    expect(refused).toHaveLength(37)
    expect(open).toEqual([])
  })

  it('are public where the registries say so, but for exceptions inside blocks that are refused', () => {
    const reachable = [...rowsOf(IPV4_REGISTRY), ...rowsOf(IPV6_REGISTRY)].filter((row) => row.isReachable)
    const refused = reachable.filter(({ first }) => isPrivateAddress(first)).map(({ block }) => block)

    expect(refused).toEqual([
      '192.0.0.9/32',
      '192.0.0.10/32',
      // Carries 0.0.0.0.
      '64:ff9b::/96',
      '2001:1::1/128',
      '2001:1::2/128',
      '2001:1::3/128',
      '2001:3::/32',
      '2001:4:112::/48',
      '2001:20::/28',
      '2001:30::/28',
    ])
  })

  it.each(['4000::1', '8000::1', 'e000::1', '1::1', '0:1::1', '1fff:ffff::1', 'fec0::1', 'ff02::1', 'ffff::1'])(
    '%s is refused: IPv6 outside 2000::/3 is nobody else than multicast, reserved or unassigned',
    (address) => {
      expect(isPrivateAddress(address)).toBe(true)
    },
  )
})

describe('an IPv4 address in an IPv6 address', () => {
  const forms: readonly (readonly [string, (high: string, low: string) => string])[] = [
    ['mapped', (high, low) => `::ffff:${high}:${low}`],
    ['translated by RFC 2765', (high, low) => `::ffff:0:${high}:${low}`],
    ['compatible', (high, low) => `::${high}:${low}`],
    ['6to4', (high, low) => `2002:${high}:${low}::1`],
    ['Teredo', (high, low) => `2001:0:${high}:${low}::1`],
    ['Teredo, of the client', (high, low) => `2001:0:808:808::${inverted(high)}:${inverted(low)}`],
    ['NAT64', (high, low) => `64:ff9b::${high}:${low}`],
    ['local NAT64', (high, low) => `64:ff9b:1::${high}:${low}`],
    ['ISATAP', (high, low) => `2a00:1450:4001:81b:0:5efe:${high}:${low}`],
    ['ISATAP, unique', (high, low) => `2a00:1450:4001:81b:200:5efe:${high}:${low}`],
  ]
  const inside = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1', '0.0.0.0', '203.0.113.1', '255.255.255.255']

  it.each(forms)('is refused when it is not public: %s', (_name, form) => {
    const open = inside.filter((address) => !isPrivateAddress(form(...groupsOf(address))))

    expect(open).toEqual([])
  })

  it('is public with a public address where it leads there: mapped, NAT64, ISATAP', () => {
    const open = forms.filter(([, form]) => !isPrivateAddress(form(...groupsOf('8.8.8.8')))).map(([name]) => name)

    expect(open).toEqual(['mapped', 'NAT64', 'ISATAP', 'ISATAP, unique'])
  })

  it.each(['::ffff:0:127.0.0.1', '::ffff:127.0.0.1', '64:ff9b::127.0.0.1', '2a00::5efe:10.0.0.1', '0:0:0:0:ffff:0:7f00:1'])(
    'may be written with dots or without gaps: %s',
    (address) => {
      expect(isPrivateAddress(address)).toBe(true)
    },
  )

  function groupsOf(address: string): [string, string] {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
  }

  function inverted(group: string): string {
    return (Number.parseInt(group, 16) ^ 0xffff).toString(16)
  }
})
