// Rows about robots.txt: what it says, how long it takes, where it leads, how much of it there is.
import { gzipSync } from 'node:zlib'
import { drips, floods, html, sitePaths, redirects, says, serves, servesBytes, site, status, whole } from '../answers.ts'
import type { HostileAnswer, Expected, HostileRow } from '../hostile-row.ts'

const TEXT = 'Content-Type: text/plain\r\n'

/** A site of four pages behind a robots.txt. */
function robots(name: string, does: string, answer: HostileAnswer, expected: Expected): HostileRow {
  return { name: `robots-${name}`, does, play: { answer: site(3), robots: answer }, expected }
}

const file = (text: string | Uint8Array, fields = TEXT): HostileAnswer => servesBytes(() => whole(text, fields))
const ALLOWED: Expected = { pages: sitePaths(3) }
/** Disallowed, and not failed: its pages wait. */
const PARKED: Expected = { keepsWaiting: true, mostPages: 0 }
const DISALLOWED: Expected = { mostPages: 0, never: /^\/(?!robots\.txt)/ }

function delay(name: string, value: string, expected: Expected): HostileRow {
  return robots(`delay-${name}`, `asks for Crawl-delay: ${value}`, file(`User-agent: *\nCrawl-delay: ${value}\n`), expected)
}

const rules = (count: number, rule: (n: number) => string): string =>
  `User-agent: *\n${Array.from({ length: count }, (_, n) => rule(n)).join('\n')}\n`

/** The rows. */
export const ROBOTS_ROWS: readonly HostileRow[] = [
  robots('5xx', 'answers robots.txt with 503', status('503 Busy'), PARKED),
  robots('500', 'answers robots.txt with 500', status('500 Broken'), PARKED),
  robots('hang', 'never answers robots.txt', () => {}, PARKED),
  robots('drip', 'drips robots.txt', drips(`HTTP/1.1 200 OK\r\n${TEXT}\r\nUser-agent: *\n`, '#', 250), PARKED),
  robots('reset', 'resets at robots.txt', says('', 'reset'), PARKED),
  robots(
    'truncated',
    'cuts robots.txt before its length',
    says(`HTTP/1.1 200 OK\r\n${TEXT}Content-Length: 100\r\n\r\nUser-agent: *`),
    PARKED,
  ),
  robots('403', 'forbids robots.txt', status('403 Forbidden'), ALLOWED),
  robots('401', 'wants a password for robots.txt', status('401 Unauthorized'), ALLOWED),
  robots(
    'html',
    'answers robots.txt with a page',
    serves(() => html('Not found, sorry')),
    ALLOWED,
  ),
  robots('empty', 'has an empty robots.txt', file(''), ALLOWED),
  robots(
    '100mb',
    'sends a robots.txt of 100 MB',
    floods(`HTTP/1.1 200 OK\r\n${TEXT}\r\n`, '# filler filler filler\n'.repeat(2_800), 1_600),
    {
      pages: sitePaths(3),
    },
  ),
  robots(
    'endless',
    'sends a robots.txt without an end that disallows all',
    floods(`HTTP/1.1 200 OK\r\n${TEXT}\r\nUser-agent: *\nDisallow: /\n`, 'Disallow: /x\n'.repeat(5_000)),
    DISALLOWED,
  ),
  robots(
    'one-line',
    'sends a robots.txt of one line of 9 MB',
    file(`User-agent: *\nDisallow: /${'a'.repeat(9_000_000)}`),
    ALLOWED,
  ),
  robots(
    'gzip-bomb',
    'sends 64 MiB of rules as 64 KiB of gzip',
    servesBytes(() => whole(gzipSync(Buffer.alloc(64 * 2 ** 20, 'Disallow: /x\n')), `${TEXT}Content-Encoding: gzip\r\n`)),
    {
      mostRequests: 8,
    },
  ),
  robots(
    'redirects-6',
    'redirects robots.txt six times',
    redirects(() => '/robots-1'),
    { mostRequests: 12 },
  ),
  robots(
    'redirect-ring',
    'redirects robots.txt to itself',
    redirects(() => '/robots.txt'),
    { pages: sitePaths(3), mostRequests: 20 },
  ),
  robots(
    'redirect-page',
    'redirects robots.txt to its first page',
    redirects(() => '/'),
    ALLOWED,
  ),
  robots(
    'redirect-elsewhere',
    'redirects robots.txt to another host',
    redirects(({ world }) => `${world.originOf('well-behaved')}/elsewhere`),
    {
      pages: sitePaths(3),
    },
  ),
  robots(
    'redirect-dead',
    'redirects robots.txt to a host that refuses',
    redirects(({ world }) => `${world.originOf('refuse')}/robots.txt`),
    PARKED,
  ),
  robots('utf16', 'sends a robots.txt in UTF-16', file(Buffer.from('\uFEFFUser-agent: *\nDisallow: /\n', 'utf16le')), DISALLOWED),
  robots('bom', 'sends a robots.txt with a byte order mark', file('\uFEFFUser-agent: *\nDisallow: /\n'), DISALLOWED),
  robots('nul', 'sends NULs between the rules', file('User-agent: *\n\0\0\0\nDisallow: /\n'), DISALLOWED),
  robots('cr-only', 'ends lines with CR alone', file('User-agent: *\rDisallow: /\r'), DISALLOWED),
  robots('disallow-all', 'disallows all', file('User-agent: *\nDisallow: /\n'), DISALLOWED),
  robots('redos', 'disallows 500 stars before a dollar', file(`User-agent: *\nDisallow: /${'*a'.repeat(500)}b$\n`), ALLOWED),
  {
    name: 'robots-redos-path',
    does: 'links to 200 paths of 2,000 characters under 500 patterns of stars',
    play: {
      robots: file(rules(500, (n) => `Disallow: /${'*a'.repeat(100)}b${String(n)}$`)),
      answer: serves(({ path }) =>
        path === '/'
          ? html('Stars', ...Array.from({ length: 200 }, (_, n) => `/${'a'.repeat(1_950)}${String(n)}`))
          : html('Below'),
      ),
    },
    expected: { pages: ['/'], mostRequests: 800 },
  },
  robots('24000-rules', 'has 24,000 rules', file(rules(24_000, (n) => `Disallow: /rule/${String(n)}`)), ALLOWED),
  robots(
    'agents',
    'names 18,000 agents before 1,000 rules',
    file(
      `${Array.from({ length: 18_000 }, (_, n) => `User-agent: a${String(n)}`).join('\n')}\n${rules(1_000, (n) => `Disallow: /no/${String(n)}`)}`,
    ),
    ALLOWED,
  ),
  delay('huge', '1e9', { mostRequests: 12 }),
  delay('negative', '-1', ALLOWED),
  delay('nan', 'NaN', ALLOWED),
  delay('tiny', '0.0001', ALLOWED),
  delay('day', '86400', { mostRequests: 3 }),
  robots(
    'sitemaps',
    'lists 500 sitemaps on a host that must not be met',
    ({ world }, line) => {
      const lines = Array.from(
        { length: 500 },
        (_, n) => `Sitemap: http://127.0.0.1:${String(world.canaryPort)}/${String(n)}.xml`,
      )
      line.write(whole(`User-agent: *\n${lines.join('\n')}\n`, TEXT))
    },
    ALLOWED,
  ),
  {
    name: 'sitemap-bomb',
    does: 'has nested entities and an external one in an XML page',
    play: {
      answer: serves(
        () =>
          `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(10)}"><!ENTITY c "${'&b;'.repeat(10)}"><!ENTITY d "${'&c;'.repeat(10)}"><!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>&d;&f;</loc></url></urlset>`,
        'Content-Type: application/xml\r\n',
      ),
    },
    handler: 'dom',
    expected: { pages: ['/'] },
  },
]
