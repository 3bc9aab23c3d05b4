// Rows about names: those that do not exist, whose name server is silent, refuses or lies, and those with too many addresses.
import { html, serves, site } from '../answers.ts'
import type { Expected, HostileRow } from '../hostile-row.ts'
import type { NameAnswer } from '../name-server.ts'

function name(what: string, does: string, said: NameAnswer, ends: NonNullable<Expected['ends']>): HostileRow {
  return {
    name: `dns-${what}`,
    does,
    named: () => said,
    play: { answer: site(1) },
    expected: { ends, mostRequests: 0 },
  }
}

/** Its page is there. */
function found(what: string, does: string, said: (address: string) => NameAnswer): HostileRow {
  return {
    name: `dns-${what}`,
    does,
    named: ({ address }) => said(address),
    play: { answer: site(2) },
    expected: { pages: ['/', '/1', '/2'] },
  }
}

/** Addresses of this machine at which nobody listens: all of 127/8 is here. */
const DEAD = Array.from({ length: 9 }, (_, n) => `127.44.0.${String(n + 1)}`)

/** Links that are no host that can be asked for. */
function links(what: string, does: string, hosts: readonly string[]): HostileRow {
  return {
    name: `dns-link-${what}`,
    does,
    play: { answer: serves(() => html('Hosts', ...hosts.map((host) => `http://${host}/dns-link-${what}`))) },
    expected: { pages: ['/'], mostPages: 1 },
  }
}

/** The rows. */
export const NAME_ROWS: readonly HostileRow[] = [
  name('nxdomain', 'has a name that does not exist', { rcode: 3 }, ['AVO_DNS_NOT_FOUND']),
  name('servfail', 'has a name server that fails', { rcode: 2 }, ['AVO_DNS_FAILED']),
  name('refused', 'has a name server that refuses', { rcode: 5 }, ['AVO_DNS_FAILED']),
  name('silent', 'has a name server that says nothing', 'silence', ['AVO_DNS_FAILED', 'AVO_CONNECT_TIMEOUT']),
  name('no-address', 'has a name without an address', { addresses: [] }, ['AVO_DNS_NOT_FOUND', 'AVO_DNS_FAILED']),
  name('alias-loop', 'has a name that is an alias of itself', { alias: 'dns-alias-loop.hostile.test' }, [
    'AVO_DNS_NOT_FOUND',
    'AVO_DNS_FAILED',
  ]),
  name('garbage', 'has a name server that sends garbage', 'garbage', ['AVO_DNS_FAILED', 'AVO_CONNECT_TIMEOUT']),
  name('forged', 'has a name server whose answers bear another id', 'forged', ['AVO_DNS_FAILED', 'AVO_CONNECT_TIMEOUT']),
  name('cut', 'has a name server that is cut short over TCP as well', 'cut', [
    'AVO_DNS_FAILED',
    'AVO_DNS_NOT_FOUND',
    'AVO_CONNECT_TIMEOUT',
  ]),
  name('dead-addresses', 'has a name with nine dead addresses', { addresses: DEAD }, [
    'AVO_CONNECT_REFUSED',
    'AVO_CONNECT_FAILED',
  ]),
  name('dead-v6', 'has a name with a dead address of IPv6 alone', { addresses: ['fd00:dead::1'] }, [
    'AVO_CONNECT_FAILED',
    'AVO_CONNECT_TIMEOUT',
    'AVO_UNREACHABLE',
  ]),
  found('good', 'has a name that leads to it', (address) => ({ addresses: [address] })),
  found('ttl-0', 'has a name that may not be remembered', (address) => ({ addresses: [address], ttl: 0 })),
  found('first-dead', 'has a name whose first three addresses are dead', (address) => ({
    addresses: [...DEAD.slice(0, 3), address],
  })),
  found('500-addresses', 'has a name with 500 addresses, the first of which is good', (address) => ({
    addresses: [address, ...Array.from({ length: 499 }, (_, n) => `127.44.${String(1 + (n >> 7))}.${String((n & 127) + 1)}`)],
  })),
  links('label-64', 'links to labels of 64 octets', [`${'a'.repeat(64)}.hostile.test`, `x.${'b'.repeat(100)}.test`]),
  links('long', 'links to hosts of 300 octets', [`${'a.'.repeat(150)}test`]),
  links(
    'cjk',
    'links to 300 hosts of 10,000 CJK characters',
    Array.from({ length: 300 }, (_, n) => `${'日'.repeat(10_000)}${String(n)}.test`),
  ),
  {
    ...links(
      'cjk-by-handler',
      'has 100 hrefs to hosts of 4,000 CJK characters, of which a handler makes links',
      Array.from({ length: 100 }, (_, n) => `${'日'.repeat(4_000)}${String(n)}.test`),
    ),
    handler: 'hrefs',
  },
  links('punycode', 'links to punycode that is none', ['xn--a.test', 'xn--99999999999.test', `xn--${'a'.repeat(5_000)}.test`]),
  links('homograph', 'links to names in mixed scripts', ['аррӏе.hostile.test', 'gооgle.hostile.test']),
  links('odd-characters', 'links to hosts with characters that no host has', [
    'a b.test',
    'a%00b.test',
    'a%2fb.test',
    'a|b.test',
    '..',
    'a..test',
    '-.test',
  ]),
  links('numbers', 'links to numbers that are no addresses', [
    '1.2.3.4.5',
    '4294967296',
    '256.1.1.1',
    '0x1ffffffff',
    '[::1',
    '[1:2:3]',
  ]),
]
