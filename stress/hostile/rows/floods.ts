// Rows of many hosts, each of which is run for itself beside five healthy hosts: what no single host could do.
import { gzipSync } from 'node:zlib'
import { coded, floods, HEAD, html, longText, redirects, serves, servesBytes, site, whole } from '../answers.ts'
import type { HostileRow } from '../hostile-row.ts'

const RULES = `User-agent: *\n${Array.from({ length: 24_000 }, (_, n) => `Disallow: /rule/${String(n)}`).join('\n')}\n`
const MIB = 2 ** 20

/** As for all rows at once. */
const PEAK_MIB = 512
/** A budget of 256 MiB for bodies, and 128 MiB beside it. */
const BODY_MIB = 384

/** The rows. */
export const FLOOD_ROWS: readonly HostileRow[] = [
  {
    name: 'flood-robots-rules',
    does: 'has 24,000 rules in the robots.txt of each of 200 hosts',
    hosts: 200,
    play: { answer: site(5), robots: servesBytes(() => whole(RULES, 'Content-Type: text/plain\r\n')) },
    expected: { pages: ['/'], mostRequests: 20 },
    flood: { mostPeakMib: PEAK_MIB, healthyShare: 1 },
  },
  {
    name: 'flood-decoded-bodies',
    does: 'sends 31 MiB in 234 KiB of gzip from 60 hosts at once',
    hosts: 60,
    play: { answer: coded('gzip', () => gzipSync(longText(31 * MIB))) },
    expected: { mostRequests: 12 },
    flood: { mostPeakMib: BODY_MIB, healthyShare: 1 },
  },
  {
    name: 'flood-unfinished-bodies',
    does: 'sends 9 MiB from 100 hosts at once, and never the end',
    hosts: 100,
    play: { answer: floods(`${HEAD}Content-Length: ${String(9 * MIB + 1)}\r\n\r\n`, Buffer.alloc(MIB, 'a'), 9) },
    expected: { mostRequests: 12 },
    flood: { mostPeakMib: BODY_MIB, healthyShare: 1 },
  },
  {
    name: 'flood-endless-links',
    does: 'has a thousand new links on every page',
    play: {
      answer: serves(({ path }) =>
        html(
          `Page ${path}`,
          ...Array.from({ length: 1_000 }, (_, n) => `/endless${path.length > 60 ? '' : path.replaceAll('/', '-')}-${String(n)}`),
        ),
      ),
    },
    // Its pages differ and yield items, so none is refused: what they add is, and the report says of whom. Asked 10 times a second of a clock four times as
    // fast, for 120 s; and each page and item pays for ten URLs beyond the 90,000 of every host.
    expected: { mostRequests: 4_800, mostKnown: 90_000 + 20 * 4_800, reported: '/**' },
    flood: { mostPeakMib: PEAK_MIB, healthyShare: 1 },
  },
  {
    name: 'flood-robots-elsewhere',
    does: 'redirects the robots.txt of 100 hosts to one, which asks for one request in five seconds',
    hosts: 101,
    play: {
      // The crawl's clock may run faster than ours: what counts is the number that it gets.
      robots(asked, line) {
        if (asked.world.host === 0) line.write(whole('User-agent: *\nCrawl-delay: 5\n', 'Content-Type: text/plain\r\n'))
        else redirects(({ world }) => `${world.originOf('flood-robots-elsewhere', 0)}/shared-robots`)(asked, line)
      },
      answer: (asked, line) =>
        void line.write(
          asked.path === '/shared-robots' ? whole('User-agent: *\n', 'Content-Type: text/plain\r\n') : whole(html('Page')),
        ),
    },
    // One in five seconds of a clock four times as fast, for 120 s.
    expected: { mostRequests: 97 },
    flood: { mostPeakMib: PEAK_MIB, healthyShare: 1 },
  },
  {
    name: 'flood-dead-names',
    does: 'has 40 names whose name server says nothing',
    hosts: 40,
    named: () => 'silence',
    play: { answer: site(1) },
    expected: { ends: ['AVO_DNS_FAILED', 'AVO_CONNECT_TIMEOUT'], mostRequests: 0 },
    flood: { mostPeakMib: PEAK_MIB, healthyShare: 1 },
  },
]
