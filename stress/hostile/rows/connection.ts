// Rows about connections: who does not listen, who hangs up, who speaks out of turn, and who speaks something else.
import { after, drips, firstThen, floods, greets, html, sitePaths, says, site, whole } from '../answers.ts'
import type { HostileAnswer, HostileRow } from '../hostile-row.ts'

const SMALL = 12
/** Frames of HTTP/2 (RFC 9113 §6): length, type, flags, stream. */
const frame = (type: number, payload: string, stream = '\0\0\0\0'): string =>
  `\0\0${String.fromCharCode(payload.length)}${String.fromCharCode(type)}\0${stream}${payload}`
const SETTINGS = frame(4, '')
const GOAWAY = frame(7, '\0\0\0\0\0\0\0\0')
const RESET_STREAM = frame(3, '\0\0\0\x08', '\0\0\0\x01')
const CONTINUATION = frame(9, 'x'.repeat(100), '\0\0\0\x01')

/** Closes the second time it is asked something on one connection. */
const closesOnReuse: HostileAnswer = (() => {
  const asked = new WeakSet<object>()
  const page = site(SMALL)
  return (request, line) => {
    if (asked.has(line)) return line.end()
    asked.add(line)
    page(request, line)
  }
})()

/** Answers, then closes the idle connection a moment later. */
const closesWhenIdle: HostileAnswer = (asked, line) => {
  site(SMALL)(asked, line)
  line.after(asked.nth % 6, () => line.end())
}

const answersEachOnce: HostileAnswer = (asked, line) => {
  const page = asked.path === '/' ? html('First', ...sitePaths(SMALL)) : html(asked.path)
  line.end(whole(page, 'Connection: close\r\n'))
}

/** The second answer is a lie about the next page. */
const twice: HostileAnswer = ({ path }, line) => {
  line.write(whole(html(`Own ${path}`, '/1', '/2')))
  line.write(whole(html('Forged')))
}

/** Connections that are open at once; the third is reset. */
function onlyTwo(): HostileRow['play'] {
  const open = new Set<object>()
  return {
    accept(line) {
      if (open.size >= 2) return line.reset()
      open.add(line)
      line.whenClosed(() => open.delete(line))
    },
    answer: after(50, site(SMALL)),
  }
}

/** The rows. */
export const CONNECTION_ROWS: readonly HostileRow[] = [
  {
    name: 'refuse',
    does: 'nobody listens at the port',
    play: 'refuses',
    expected: { ends: ['AVO_CONNECT_REFUSED'], mostRequests: 0 },
  },
  {
    name: 'blackhole',
    does: 'connecting never ends',
    play: 'swallows',
    expected: { ends: ['AVO_CONNECT_TIMEOUT'], mostRequests: 0 },
  },
  {
    name: 'accept-silent',
    does: 'accepts, reads, and never answers',
    play: { robots: 'as-page' },
    expected: { ends: ['AVO_FIRST_BYTE_TIMEOUT'] },
  },
  {
    name: 'accept-deaf',
    does: 'accepts, and never reads',
    play: { accept: (line) => line.deafen() },
    expected: { ends: ['AVO_FIRST_BYTE_TIMEOUT'] },
  },
  {
    name: 'silent-page',
    does: 'answers robots.txt, and never a page',
    play: {},
    expected: { ends: ['AVO_FIRST_BYTE_TIMEOUT'] },
  },
  {
    name: 'accept-close',
    does: 'closes after the request',
    play: { answer: says('') },
    expected: { ends: ['AVO_CLOSED_EARLY', 'AVO_STALE_SOCKET'] },
  },
  {
    name: 'close-at-once',
    does: 'closes before it is asked',
    play: { accept: (line) => line.end() },
    expected: { ends: ['AVO_CLOSED_EARLY'] },
  },
  {
    name: 'accept-rst',
    does: 'resets after the request',
    play: { answer: says('', 'reset'), robots: 'as-page' },
    expected: { ends: ['AVO_RESET'] },
  },
  {
    name: 'rst-at-once',
    does: 'resets when it has accepted',
    play: { accept: (line) => line.reset() },
    expected: { ends: ['AVO_RESET', 'AVO_CLOSED_EARLY', 'AVO_CONNECT_FAILED'] },
  },
  {
    name: 'rst-after-answer',
    does: 'answers whole, then resets',
    play: { answer: says(whole(html('Reset')), 'reset') },
    expected: { pages: ['/'] },
  },
  {
    name: 'close-on-reuse',
    does: 'closes a kept connection when it is used again',
    play: { answer: closesOnReuse },
    expected: { pages: sitePaths(SMALL), mostRequests: 40 },
  },
  {
    name: 'idle-close-race',
    does: 'closes a kept connection 0 to 5 ms after each answer',
    play: { answer: closesWhenIdle },
    expected: { pages: sitePaths(SMALL), mostRequests: 40 },
  },
  {
    name: 'keepalive-max-1',
    does: 'closes after every answer, and says so',
    play: { answer: answersEachOnce },
    expected: { pages: sitePaths(SMALL), mostRequests: 20 },
  },
  {
    name: 'syn-slots',
    does: 'resets every connection beside two',
    play: onlyTwo(),
    expected: { pages: sitePaths(SMALL), mostRequests: 60 },
  },
  {
    name: 'response-before-request',
    does: 'answers before it is asked',
    play: greets(whole('ok')),
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'banner-ssh',
    does: 'greets as SSH',
    play: greets('SSH-2.0-OpenSSH_9.6\r\n'),
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'banner-smtp',
    does: 'greets as SMTP',
    play: greets('220 mail.hostile.test ESMTP\r\n'),
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'banner-endless',
    does: 'greets without an end',
    play: { accept: (line) => line.flood('220-welcome\r\n'.repeat(1_000)) },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'banner-late',
    does: 'greets as FTP while the request is on its way',
    play: { answer: says('220 FTP ready\r\n', 'keep') },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'h2-preface',
    does: 'speaks HTTP/2 unasked',
    play: greets(SETTINGS),
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'h2-goaway',
    does: 'answers each request with GOAWAY',
    play: { answer: says(SETTINGS + GOAWAY) },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'h2-settings-flood',
    does: 'answers with SETTINGS without an end',
    play: { answer: floods('', SETTINGS.repeat(1_000)) },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'h2-rapid-reset',
    does: 'answers with RST_STREAM without an end',
    play: { answer: floods('', RESET_STREAM.repeat(1_000)) },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'h2-continuation-flood',
    does: 'answers with CONTINUATION without an end',
    play: { answer: floods('', CONTINUATION.repeat(500)) },
    expected: { ends: ['AVO_PROTOCOL'] },
  },
  {
    name: 'slow-first-byte',
    does: 'takes three seconds for every page',
    play: { answer: after(3_000, site(2)) },
    expected: { pages: sitePaths(2) },
  },
  {
    name: 'resets-once',
    does: 'resets its first page, then is well',
    play: { answer: firstThen(says('', 'reset'), site(2)) },
    expected: { pages: sitePaths(2) },
  },
  {
    name: 'drips-for-ever-before-head',
    does: 'sends an empty line every 200 ms instead of an answer',
    play: { answer: drips('', '\r\n', 200) },
    expected: { ends: ['AVO_FIRST_BYTE_TIMEOUT', 'AVO_PROTOCOL'] },
  },
  {
    name: 'two-answers-per-request',
    does: 'answers every request twice',
    play: { answer: twice },
    expected: { pages: ['/', '/1', '/2'], titles: { '/': 'Own /', '/1': 'Own /1', '/2': 'Own /2' }, mostRequests: 24 },
  },
]
