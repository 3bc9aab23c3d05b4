// Addresses: however one is written, the guard decides on it as on its canonical form, and as on the IPv4 address that it carries.
import { parseUrl } from '@avocet/core/plugin'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { isPrivateAddress } from '../../../packages/fetcher-http/src/names/address-guard.ts'
import { readHostsFile } from '../../../packages/fetcher-http/src/names/dns-names.ts'
import { mutatedText } from '../mutated.ts'
import { property, type Property } from '../property.ts'

/** First groups of the blocks that matter, and of their neighbours. */
const PREFIXES = [
  '0',
  '1',
  '64',
  '100',
  '1fff',
  '2000',
  '2001',
  '2002',
  '2606',
  '3fff',
  '3ffe',
  '5f00',
  'fc00',
  'fdff',
  'fe80',
  'fec0',
  'ff02',
  'ffff',
] as const
const group = fc.oneof(fc.nat({ max: 0xffff }), fc.constantFrom(0, 0, 0, 1, 0xffff, 0xff9b, 0x5efe, 0x200, 0xdb8, 0x7f00))
const groups = fc
  .tuple(fc.constantFrom(...PREFIXES), fc.array(group, { minLength: 7, maxLength: 7 }))
  .map(([first, rest]) => [Number.parseInt(first, 16), ...rest])
const octet = fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 1, 8, 10, 100, 127, 168, 169, 172, 192, 198, 224, 254, 255))
const v4 = fc.array(octet, { minLength: 4, maxLength: 4 })

/** Ways to write eight groups. `gap` chooses among the runs of zeros. */
function spellings(address: readonly number[], gap: number): readonly string[] {
  const hex = address.map((each) => each.toString(16))
  const [high = 0, low = 0] = address.slice(-2)
  const tail = [high >>> 8, high & 255, low >>> 8, low & 255].join('.')
  const runs = hex.flatMap((each, from) => (each === '0' ? [from] : []))
  const from = runs[gap % Math.max(1, runs.length)]
  let to = from ?? 0
  while (hex[to] === '0') to++
  const gapped = from === undefined ? hex.join(':') : `${hex.slice(0, from).join(':')}::${hex.slice(to).join(':')}`
  return [
    hex.join(':'),
    hex.map((each) => each.padStart(4, '0')).join(':'),
    hex.join(':').toUpperCase(),
    [...hex.slice(0, 6), tail].join(':'),
    gapped,
    ...(from !== undefined && to <= 6 ? [`${hex.slice(0, from).join(':')}::${[...hex.slice(to, 6), tail].join(':')}`] : []),
    `${hex.join(':')}%eth0`,
  ]
}

const v6 = property(
  { name: 'address-v6', what: 'each way to write an IPv6 address is decided on as its canonical form', runs: 3_000 },
  fc.tuple(groups, fc.nat({ max: 7 })),
  ([address, gap]) => {
    const [plain = '', ...others] = spellings(address, gap)
    const canonical = new URL(`http://[${plain}]/`).hostname.slice(1, -1)
    for (const spelling of [plain, ...others])
      assert.equal(isPrivateAddress(spelling), isPrivateAddress(canonical), `${spelling} as ${canonical}`)
    if ((address[0] ?? 0) >>> 13 !== 1) {
      // Outside 2000::/3 only mapped and translated addresses may be public.
      const isCarrier = /^(?:0:0:0:0:0:ffff|64:ff9b:0:0:0:0):/.test(address.map((each) => each.toString(16)).join(':'))
      assert.ok(isCarrier || isPrivateAddress(plain), plain)
    }
  },
)

const embedded = property(
  {
    name: 'address-embedded',
    what: 'an IPv4 address in whatever notation, or inside IPv6, is decided on as itself',
    runs: 3_000,
  },
  fc.tuple(v4, fc.array(fc.constantFrom('10', '8', '16', '016'), { minLength: 4, maxLength: 4 }), fc.integer({ min: 1, max: 4 })),
  ([bytes, bases, parts]) => {
    const dotted = bytes.join('.')
    const isPrivate = isPrivateAddress(dotted)
    const [a = 0, b = 0, c = 0, d = 0] = bytes
    const tail = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    for (const mapped of [
      `::ffff:${dotted}`,
      `::ffff:${tail}`,
      `0:0:0:0:0:FFFF:${dotted}`,
      `64:ff9b::${tail}`,
      `64:ff9b::${dotted}`,
    ])
      assert.equal(isPrivateAddress(mapped), isPrivate, mapped)
    for (const refused of [`::${tail}`, `::ffff:0:${tail}`, `2002:${tail}::`, `64:ff9b:1::${tail}`, `fe80::5efe:${dotted}`])
      assert.equal(isPrivateAddress(refused), true, refused)
    if (isPrivate) assert.equal(isPrivateAddress(`2606:4700::200:5efe:${tail}`), true)
    // As a page writes the host of a link: of one to four parts, the last of which takes what is left.
    const values =
      parts === 4 ? bytes : [...bytes.slice(0, parts - 1), bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0)]
    const host = values.map((value, n) => inBase(value, bases[n] ?? '10')).join('.')
    assert.equal(parseUrl(`http://${host}/`), `http://${dotted}/`, host)
  },
)

function inBase(value: number, base: string): string {
  if (base === '8') return `0${value.toString(8)}`
  if (base === '10') return String(value)
  return `${base === '16' ? '0x' : '0X'}${value.toString(16)}`
}

const files = [Buffer.from('127.0.0.1 localhost\n::1 localhost ip6-localhost # ours\n192.0.2.1\tShop.Example  www\n')]

const TOKENS = ['\n', '#', ';', ' ', '127.0.0.1 ', '::1 ', 'fe80::1%eth0 ', '\0', '__proto__', 'é'] as const
const ownFiles = property(
  { name: 'name-files', what: 'whatever stands in the hosts file, what is read of it has its form', runs: 1_500 },
  mutatedText({ files, tokens: TOKENS }),
  (text) => {
    for (const [name, addresses] of readHostsFile(text))
      assert.ok(name === name.toLowerCase() && addresses.every(({ family }) => family === 4 || family === 6))
  },
)

/** All of this file. */
export const ADDRESS_PROPERTIES: readonly Property[] = [v6, embedded, ownFiles]
