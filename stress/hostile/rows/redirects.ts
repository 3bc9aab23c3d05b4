// Rows about redirects: rings, chains, ladders that lead nowhere, bodies behind them.
import { drips, floods, html, redirects, serves, status, whole } from '../answers.ts'
import type { HostileRow } from '../hostile-row.ts'

/** A Location that is no http(s) URL. */
function nowhere(name: string, location: string): HostileRow {
  return {
    name: `redirect-to-${name}`,
    does: `redirects to ${JSON.stringify(location.slice(0, 60))}`,
    play: { answer: redirects(() => location) },
    expected: { ends: ['AVO_REDIRECT_TARGET'], mostRequests: 4 },
  }
}

const numberIn = (path: string): number => Number(/\d+/.exec(path)?.[0] ?? 0)

/** The rows. */
export const REDIRECT_ROWS: readonly HostileRow[] = [
  {
    name: 'redirect-self',
    does: 'redirects to itself',
    play: { answer: redirects(({ path }) => path) },
    expected: { ends: ['AVO_REDIRECT_LOOP', 'AVO_REDIRECT_LIMIT'] },
  },
  {
    name: 'redirect-ring',
    does: 'redirects between two pages',
    play: { answer: redirects(({ path }) => (path === '/b' ? '/' : '/b')) },
    expected: { mostRequests: 6, mostPages: 0 },
  },
  {
    name: 'redirect-counter',
    does: 'redirects to a URL with a counter, for ever',
    play: { answer: redirects(({ path }) => `/r?n=${String(numberIn(path) + 1)}`) },
    expected: { ends: ['AVO_REDIRECT_LIMIT'], mostRequests: 14, mostKnown: 12 },
  },
  {
    name: 'redirect-chain-10k',
    does: 'redirects ten thousand times',
    seeds: ['/h/0'],
    play: {
      answer: (asked, line) =>
        numberIn(asked.path) === 10_000
          ? void line.write(whole(html('End')))
          : redirects(({ path }) => `/h/${String(numberIn(path) + 1)}`)(asked, line),
    },
    expected: { ends: ['AVO_REDIRECT_LIMIT'], mostRequests: 14, mostKnown: 12 },
  },
  {
    name: 'redirect-fan',
    does: 'redirects each of five links through eight hops',
    play: {
      answer(asked, line) {
        const { path } = asked
        if (path === '/') line.write(whole(html('Fan', ...Array.from({ length: 5 }, (_, n) => `/f/${String(n)}/0`))))
        const [, , fan = '', hop = '0'] = path.split('/')
        if (path === '/') return
        if (hop === '8') line.write(whole(html(`End ${fan}`)))
        else redirects(() => `/f/${fan}/${String(Number(hop) + 1)}`)(asked, line)
      },
    },
    expected: { pages: ['/', '/f/0/8'], mostRequests: 60 },
  },
  {
    name: 'redirect-spellings',
    does: 'redirects between spellings of one URL',
    play: { answer: redirects(({ path }) => (path === '/?a=1&b=2' ? '/?b=2&a=1' : '/?a=1&b=2')) },
    expected: { ends: ['AVO_REDIRECT_LOOP', 'AVO_REDIRECT_LIMIT'], mostRequests: 14 },
  },
  nowhere('file', 'file:///etc/passwd'),
  nowhere('javascript', 'javascript:alert(1)'),
  nowhere('data', 'data:text/html,<h1>x</h1>'),
  nowhere('ftp', 'ftp://hostile.test/x'),
  nowhere('broken-bracket', 'http://['),
  nowhere('port-99999', 'http://hostile.test:99999/'),
  nowhere('mailto', 'mailto:who@hostile.test'),
  nowhere('long', `/${'a'.repeat(40_000)}`),
  nowhere('cjk-host', `http://${'\xe6\x97\xa5'.repeat(10_000)}.test/`),
  {
    name: 'redirect-to-long-label',
    does: 'redirects to a host with a label of 64 octets',
    play: { answer: redirects(() => `http://${'a'.repeat(64)}.hostile.test/redirect-to-long-label`) },
    expected: { ends: ['AVO_REDIRECT_TARGET', 'AVO_DNS_NOT_FOUND'], mostRequests: 4 },
  },
  {
    name: 'redirect-backslashes',
    does: 'redirects to http:\\\\no-such-host\\x',
    play: { answer: redirects(() => 'http:\\\\no-such-host.hostile.test\\redirect-backslashes') },
    expected: { mostPages: 0, mostRequests: 4 },
  },
  {
    name: 'redirect-empty',
    does: 'redirects with an empty Location',
    play: { answer: redirects(() => '') },
    expected: { ends: ['AVO_REDIRECT_LOOP', 'AVO_REDIRECT_LIMIT', 'AVO_REDIRECT_TARGET', 'http-302'] },
  },
  {
    name: 'redirect-missing',
    does: 'redirects without a Location',
    play: { answer: status('302 Found') },
    expected: { ends: ['http-302', 'AVO_REDIRECT_TARGET'], mostRequests: 4 },
  },
  {
    name: 'redirect-two-locations',
    does: 'redirects with two Location fields',
    play: {
      answer: (asked, line) =>
        void line.write(asked.path === '/' ? whole('', 'Location: /one\r\nLocation: /two\r\n', '302 Found') : whole(html('End'))),
    },
    expected: { mostRequests: 5, mostPages: 1 },
  },
  {
    name: 'redirect-userinfo',
    does: 'redirects to a URL with a name and a password',
    play: {
      answer: (asked, line) =>
        asked.path === '/'
          ? redirects(({ world }) => `${world.origin.replace('//', '//user:kept-between-us@')}/in`)(asked, line)
          : void line.write(whole(html('In'))),
    },
    expected: { pages: ['/in'] },
  },
  {
    name: 'redirect-body-endless',
    does: 'redirects with a body without an end',
    play: {
      answer: (asked, line) =>
        asked.path === '/'
          ? floods('HTTP/1.1 302 Found\r\nLocation: /end\r\n\r\n', Buffer.alloc(65_536, 'a'))(asked, line)
          : void line.write(whole(html('End'))),
    },
    expected: { pages: ['/end'] },
  },
  {
    name: 'redirect-body-drip',
    does: 'redirects with a body that drips',
    play: {
      answer: (asked, line) =>
        asked.path === '/'
          ? drips('HTTP/1.1 302 Found\r\nLocation: /end\r\n\r\n', 'a', 500)(asked, line)
          : void line.write(whole(html('End'))),
    },
    expected: { pages: ['/end'] },
  },
  {
    name: 'redirect-300',
    does: 'offers choices (300) with a Location',
    play: { answer: redirects(() => '/choice', '300 Multiple Choices') },
    expected: { ends: ['http-300'], mostRequests: 4 },
  },
  {
    name: 'meta-refresh-loop',
    does: 'refreshes to a URL with a counter, for ever',
    play: {
      answer: serves(
        ({ path }) =>
          `<title>Refresh</title><meta http-equiv=refresh content="0;url=/meta-refresh?n=${String(numberIn(path) + 1)}">`,
      ),
    },
    expected: { mostPages: 500, mostRequests: 560 },
  },
]
