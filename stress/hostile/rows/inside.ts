// Rows that lead inside: every way to write an address that only this machine or its network can reach, and ports that are not for HTTP.
//
// The canary listens on 127.0.0.1 and ::1. Paths bear the name of the row, so that what came of them is counted for it.
import { html, redirects, serves, site, whole } from '../answers.ts'
import type { HostileRow, World } from '../hostile-row.ts'

const REFUSED = ['AVO_ADDRESS_REFUSED'] as const

/** A host as it is written in a URL. */
const HOSTS: Readonly<Record<string, string>> = {
  loopback: '127.0.0.1',
  localhost: 'localhost',
  'localhost-dot': 'localhost.',
  decimal: '2130706433',
  octal: '0177.0.0.1',
  hex: '0x7f.1',
  'short-form': '127.1',
  'full-width': '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1',
  'any-address': '0.0.0.0',
  ipv6: '[::1]',
  'ipv6-any': '[::]',
  'ipv4-mapped': '[::ffff:7f00:1]',
  'ipv4-compatible': '[::7f00:1]',
  'ipv4-translated': '[::ffff:0:7f00:1]',
  nat64: '[64:ff9b::7f00:1]',
  'nat64-local': '[64:ff9b:1::7f00:1]',
  '6to4': '[2002:7f00:1::]',
  teredo: '[2001:0:7f00:1::80ff:fffe]',
  isatap: '[fe80::5efe:7f00:1]',
  'unique-local': '[fd00::1]',
  metadata: '169.254.169.254',
  'ten-net': '10.0.0.1',
  'shared-space': '100.64.0.1',
  'documentation-v4': '198.51.100.1',
  'documentation-v6': '[2001:db8::1]',
  multicast: '224.0.0.1',
  broadcast: '255.255.255.255',
}

/** Ports of other protocols, on any host. */
const PORTS: Readonly<Record<string, number>> = { ssh: 22, smtp: 25, imap: 143, irc: 6667, sip: 5060, redis: 6379 }
/** Not on the list of the Fetch Standard, but on a private address here. */
const CHECKED_PORTS = Object.entries(PORTS).filter(([name]) => name !== 'redis')

const inside = ({ row, canaryPort }: World, host: string): string => `http://${host}:${String(canaryPort)}/${row}`

function redirect(name: string, host: string): HostileRow {
  return {
    name: `inside-${name}`,
    does: `redirects to ${host}`,
    play: { answer: redirects(({ world }) => inside(world, host)) },
    expected: { ends: REFUSED, mostRequests: 4 },
  }
}

/** A page of this row at `/`, whose links lead inside. */
function page(name: string, does: string, markup: (url: string) => string): HostileRow {
  return {
    name: `inside-by-${name}`,
    does,
    play: {
      answer: serves(({ path, world }) =>
        path === '/' ? `<title>Inside</title>${markup(inside(world, '127.0.0.1'))}` : html('Not inside'),
      ),
    },
    expected: { pages: ['/'], mostPages: 3 },
  }
}

/** A name below the row's own, of which the name server says this. */
function named(name: string, addresses: readonly string[]): HostileRow {
  return {
    name: `inside-name-${name}`,
    does: `links to a name whose address is ${addresses.join(' and ')}`,
    named: ({ address }) => ({ addresses: [address] }),
    below: () => ({ addresses, ttl: 0 }),
    play: {
      answer: serves(({ world }) => html('Name', inside(world, `below.inside-name-${name}.hostile.test`))),
    },
    expected: { pages: ['/'], ends: REFUSED, mostPages: 1 },
  }
}

/** The rows. */
export const INSIDE_ROWS: readonly HostileRow[] = [
  ...Object.entries(HOSTS).map(([name, host]) => redirect(name, host)),
  ...CHECKED_PORTS.map(([name, port]): HostileRow => ({
    name: `port-${name}`,
    does: `redirects to port ${String(port)} of its own host`,
    play: { answer: redirects(({ world }) => `${world.origin.replace(/:\d+$/, `:${String(port)}`)}/port-${name}`) },
    // Refused where it is discovered, as a link is: the page has moved, and nothing is asked at that port.
    expected: { mostPages: 0, mostRequests: 4 },
  })),
  page('link', 'links to the canary', (url) => `<a href="${url}">x</a>`),
  page('area', 'has an image map that leads to the canary', (url) => `<map><area href="${url}"></map>`),
  page('base', 'has a base at the canary', (url) => `<base href="${url}/"><a href="deeper">x</a>`),
  page('refresh', 'refreshes to the canary', (url) => `<meta http-equiv=refresh content="0;url=${url}">`),
  page('canonical', 'has its canonical URL at the canary', (url) => `<link rel=canonical href="${url}">`),
  page(
    'userinfo',
    'links to the canary behind a name that looks like a host',
    (url) => `<a href="${url.replace('//', '//good.example@')}">x</a>`,
  ),
  page(
    'image',
    'shows an image, a frame and a script of the canary',
    (url) => `<img src="${url}"><iframe src="${url}"></iframe><script src="${url}"></script>`,
  ),
  {
    name: 'inside-by-robots',
    does: 'redirects robots.txt to the canary',
    play: { robots: redirects(({ world }) => inside(world, '127.0.0.1')), answer: site(2) },
    expected: { pages: ['/'] },
  },
  {
    name: 'inside-by-second-hop',
    does: 'redirects to the canary by way of itself',
    play: {
      answer: (asked, line) =>
        redirects(({ path, world }) => (path === '/' ? '/hop' : inside(world, '[::ffff:127.0.0.1]')))(asked, line),
    },
    expected: { ends: REFUSED, mostRequests: 5 },
  },
  {
    name: 'inside-own-host-other-port',
    does: 'links to another port of its own private address, which nobody named',
    play: {
      answer: serves(({ world }) => html('Port', `${world.origin.replace(/:\d+$/, ':9')}/inside-own-host-other-port`)),
    },
    // Port 9 is `discard`: a link to it is refused where it is found, so nothing of it ever becomes a request.
    expected: { pages: ['/'], mostPages: 1, mostKnown: 0 },
  },
  {
    name: 'inside-own-host-free-port',
    does: 'links to a port of its own private address that nobody named, where any protocol may be',
    play: {
      answer: serves(({ world }) => html('Port', `${world.origin.replace(/:\d+$/, ':49')}/inside-own-host-free-port`)),
    },
    expected: { pages: ['/'], ends: REFUSED, mostPages: 1 },
  },
  named('v4', ['127.0.0.1']),
  named('v6', ['::1']),
  named('any', ['0.0.0.0']),
  named('mapped', ['::ffff:127.0.0.1']),
  named('translated', ['::ffff:0:7f00:1']),
  named('nat64', ['64:ff9b::7f00:1']),
  named('metadata', ['169.254.169.254']),
  named('documentation', ['203.0.113.1']),
  named('several', ['10.0.0.1', '127.0.0.1', '::1', '192.168.0.1']),
  {
    name: 'inside-rebind',
    does: 'is a seed whose name was nowhere when the crawl was made, and leads to the canary three seconds later',
    named: ({ sinceMs }) => (sinceMs < 3_000 ? { rcode: 2 } : { addresses: ['127.0.0.1'], ttl: 0 }),
    seeds: ({ row, canaryPort }) => [`http://${row}.hostile.test:${String(canaryPort)}/${row}`],
    play: { answer: (_asked, line) => void line.write(whole(html('Inside'))) },
    expected: { mostRequests: 0, mostPages: 0 },
  },
]
