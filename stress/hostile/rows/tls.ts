// Rows about TLS: certificates that do not hold, handshakes that do not end, and the wrong protocol at either end.
import { drips, html, redirects, serves, whole } from '../answers.ts'
import type { CertificateKind } from '../certificates.ts'
import type { HostileRow, Play } from '../hostile-row.ts'

const HTTPS = ({ origin }: { origin: string }): readonly string[] => [origin.replace(/^http:/, 'https:') + '/']

function bad(kind: CertificateKind, does: string): HostileRow {
  return {
    name: `tls-${kind}`,
    does,
    tls: kind,
    play: { answer: serves(() => html('Secret')) },
    expected: { ends: ['AVO_TLS_CERTIFICATE', 'AVO_TLS_INTERMEDIATE', 'AVO_TLS_FAILED'] },
  }
}

/** Speaks to the first flight of a handshake, without TLS of its own: the seeds say `https:`. */
function handshake(name: string, does: string, play: Play, ends: NonNullable<HostileRow['expected']['ends']>): HostileRow {
  return { name, does, play, seeds: HTTPS, expected: { ends } }
}

/** Head of a ServerHello record that announces 16 KiB (RFC 8446 §5.1). */
const SERVER_HELLO = '\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03'
/** A fatal alert: handshake_failure. */
const ALERT = '\x15\x03\x03\x00\x02\x02\x28'
/** A warning that nobody needs: close_notify is 0, this is user_canceled. */
const WARNING = '\x15\x03\x03\x00\x02\x01\x5a'

/** The rows. */
export const TLS_ROWS: readonly HostileRow[] = [
  bad('expired', 'shows a certificate that ended the day before yesterday'),
  bad('not-yet', 'shows a certificate that begins tomorrow'),
  bad('wrong-name', 'shows a certificate of somebody else'),
  bad('self-signed', 'shows a certificate that it signed itself'),
  bad('unknown-issuer', 'shows a certificate of an authority that nobody knows'),
  bad('sha1', 'shows a certificate that is signed with SHA-1'),
  {
    name: 'tls-long-chain',
    does: 'shows a good certificate and a hundred that are of no use',
    tls: 'long-chain',
    play: { answer: serves(() => html('Long chain')) },
    expected: { mostRequests: 12 },
  },
  {
    name: 'tls-good',
    does: 'is well: whoever trusts its authority gets its page',
    tls: 'good',
    play: { answer: serves(() => html('Good')) },
    expected: { pages: ['/'] },
  },
  {
    name: 'tls-closes-after-handshake',
    does: 'closes when the handshake is done',
    tls: 'good',
    play: { accept: (line) => line.end() },
    expected: { ends: ['AVO_CLOSED_EARLY'] },
  },
  {
    name: 'tls-truncated',
    does: 'ends half of a page by a reset, without close_notify',
    tls: 'good',
    play: {
      answer(_asked, line) {
        line.write(whole('x'.repeat(1_000)).subarray(0, 500))
        line.after(50, () => line.reset())
      },
    },
    expected: { ends: ['AVO_TRUNCATED', 'AVO_RESET'] },
  },
  handshake('tls-stall', 'begins a ServerHello, then is silent', { accept: (line) => void line.write(SERVER_HELLO) }, [
    'AVO_CONNECT_TIMEOUT',
  ]),
  handshake('tls-silent', 'accepts the handshake and says nothing', {}, ['AVO_CONNECT_TIMEOUT']),
  handshake(
    'tls-slow-byte',
    'says a handshake at five bytes a second',
    {
      accept(line) {
        line.write(SERVER_HELLO)
        line.every(200, () => void line.write('\0'))
      },
    },
    ['AVO_CONNECT_TIMEOUT'],
  ),
  handshake('tls-plaintext', 'speaks plain HTTP at a port for TLS', { accept: (line) => line.end(whole('plain')) }, [
    'AVO_TLS_FAILED',
    'AVO_PROTOCOL',
  ]),
  handshake('tls-garbage', 'answers a handshake with garbage', { accept: (line) => line.flood('\xaa\x55'.repeat(1_000), 100) }, [
    'AVO_TLS_FAILED',
    'AVO_PROTOCOL',
  ]),
  handshake('tls-alert', 'refuses every handshake', { accept: (line) => line.end(ALERT) }, ['AVO_TLS_FAILED']),
  handshake('tls-warnings', 'warns without an end', { accept: (line) => line.flood(WARNING.repeat(500)) }, [
    'AVO_TLS_FAILED',
    'AVO_CONNECT_TIMEOUT',
    'AVO_RESET',
  ]),
  handshake('tls-closes-in-handshake', 'closes within the handshake', { accept: (line) => line.end(SERVER_HELLO) }, [
    'AVO_TLS_FAILED',
    'AVO_CLOSED_EARLY',
    'AVO_RESET',
  ]),
  handshake('tls-resets-in-handshake', 'resets within the handshake', { accept: (line) => line.after(20, () => line.reset()) }, [
    'AVO_TLS_FAILED',
    'AVO_RESET',
    'AVO_CONNECT_FAILED',
  ]),
  {
    name: 'tls-on-plain',
    does: 'answers plain requests with an alert of TLS',
    play: { answer: (_asked, line) => line.end(ALERT), robots: 'as-page' },
    expected: { ends: ['AVO_PROTOCOL', 'AVO_CLOSED_EARLY'] },
  },
  {
    name: 'https-to-http',
    does: 'redirects from https to http on the same host',
    tls: 'plain-too',
    play: {
      answer: (asked, line) =>
        line.secure
          ? redirects(({ world }) => `${world.origin.replace(/^https:/, 'http:')}/plain`)(asked, line)
          : void line.write(whole(html('Plain'))),
    },
    expected: { pages: ['/plain'], secretFor: 'https' },
  },
  {
    name: 'https-links-http',
    does: 'links from a page over https to pages over http',
    tls: 'plain-too',
    play: {
      answer: serves(({ path, world }) =>
        path === '/' ? html('First', `${world.origin.replace(/^https:/, 'http:')}/linked`) : html('Plain'),
      ),
    },
    expected: { pages: ['/', '/linked'], secretFor: 'https' },
  },
  {
    name: 'tls-drip',
    does: 'drips a body over TLS',
    tls: 'good',
    play: { answer: drips('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n', 250) },
    expected: { ends: ['AVO_TOO_SLOW', 'AVO_TOTAL_TIMEOUT'] },
  },
]
