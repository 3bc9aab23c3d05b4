// robots.txt: the matcher against a simple reading of RFC 9309, and what is kept of a file against the file.
//
// The reading is written from the standard's text alone: no parser of ours, no speed. Patterns are matched by trying every place. It reads files that keep
// to the grammar; for mutated ones it knows no answer, and the file that is kept is compared with the file that came.
import { crawlDelayMs, decidingRule, isAllowed, parseRobots, sitemapsOf } from '@avocet/plugin-robots'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { keptText } from '../../../packages/plugin-robots/src/kept-text.ts'
import { corpusOf } from '../corpus.ts'
import { mutated } from '../mutated.ts'
import { property, type Property } from '../property.ts'

const ORIGIN = 'http://shop.example'

interface RuleLine {
  readonly allow: boolean
  readonly path: string
}
interface GroupLines {
  readonly agents: readonly string[]
  readonly rules: readonly RuleLine[]
}

const segment = fc.constantFrom(
  'a',
  'b',
  'ab',
  '/',
  '/',
  '*',
  '**',
  '$',
  '.',
  '?',
  '=',
  '%41',
  '%2F',
  '%2f',
  '%7e',
  '~',
  'é',
  '%C3%A9',
  '-',
  '_',
  ';',
)
const pattern = fc.array(segment, { maxLength: 7 }).map((parts) => `/${parts.join('')}`)
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', '/', '.', '?', '=', '%41', '%2F', '%7e', '~', '%C3%A9', '%c3%a9', '-', '$', '*', ';'), {
    maxLength: 8,
  })
  .map((parts) => `/${parts.join('')}`)
const agent = fc.constantFrom('avocet', 'Avocet', 'other-bot', '*', 'avo', 'avocet-news')
const groups: fc.Arbitrary<readonly GroupLines[]> = fc.array(
  fc.record({
    agents: fc.array(agent, { minLength: 1, maxLength: 3 }),
    rules: fc.array(fc.record({ allow: fc.boolean(), path: fc.oneof(pattern, fc.constant('')) }), { minLength: 1, maxLength: 5 }),
  }),
  { maxLength: 4 },
)

function written(all: readonly GroupLines[], lineEnd: string): string {
  return all
    .flatMap(({ agents, rules }) => [
      ...agents.map((name) => `User-agent: ${name}`),
      ...rules.map(({ allow, path: written }) => `${allow ? 'Allow' : 'Disallow'}: ${written}`),
    ])
    .join(lineEnd)
}

/** RFC 9309 §2.2.1: the groups of the most specific name that is ours, else those of everybody, joined. §2.2.2: the most octets; allow before disallow. */
function simpleReading(all: readonly GroupLines[], ours: string, asked: string): boolean {
  if (asked === '/robots.txt') return true
  const of = (name: string): readonly GroupLines[] =>
    all.filter(({ agents }) => agents.some((each) => each.toLowerCase() === name))
  const group = of(ours).length > 0 ? of(ours) : of('*')
  let best: { readonly octets: number; readonly allow: boolean } | undefined
  for (const { allow, path: rule } of group.flatMap(({ rules }) => rules)) {
    if (rule === '' || !isAbout(encoded(rule, true), encoded(asked, false))) continue
    const octets = encoded(rule, true).length
    if (best === undefined || octets > best.octets || (octets === best.octets && allow)) best = { octets, allow }
  }
  return best?.allow ?? true
}

/**
 * §2.2.2: octets beyond ASCII and reserved ones are percent-encoded before they are compared; unreserved ones are not (RFC 3986 §6.2.2.2). What is left
 * of `*` and of a `$` at the end of a pattern has a meaning.
 */
function encoded(text: string, isPattern: boolean): string {
  const octets = [
    ...Buffer.from(text, 'utf8')
      .toString('latin1')
      .matchAll(/%[0-9a-f]{2}|[^]/gi),
  ].map(([octet]) => octet)
  const encode = (octet: string, n: number): string => {
    if (isPattern && (octet === '*' || (octet === '$' && n === octets.length - 1))) return octet
    const code = octet.length === 3 ? Number.parseInt(octet.slice(1), 16) : octet.charCodeAt(0)
    const character = String.fromCharCode(code)
    if (/[A-Za-z0-9\-._~]/.test(character)) return character
    const mustBe = octet.length === 3 || octet === '%' || code > 126 || code <= 32 || '$*'.includes(character)
    return mustBe ? `%${code.toString(16).toUpperCase().padStart(2, '0')}` : character
  }
  return octets.map(encode).join('')
}

/** Whether a pattern matches from the start, trying every length for each star. */
function isAbout(rule: string, asked: string): boolean {
  const isTied = rule.endsWith('$')
  let ends = new Set([0])
  for (const character of isTied ? rule.slice(0, -1) : rule) {
    const next = new Set<number>()
    for (const at of ends) {
      if (character === '*') for (let to = at; to <= asked.length; to++) next.add(to)
      else if (asked[at] === character) next.add(at + 1)
    }
    ends = next
  }
  return isTied ? ends.has(asked.length) : ends.size > 0
}

const matcher = property(
  { name: 'robots-matcher', what: 'robots.txt is read as a simple reading of RFC 9309 reads it', runs: 4_000 },
  fc.tuple(groups, path, fc.constantFrom('\n', '\r\n', '\r', '\n\n# a comment\n')),
  ([all, asked, lineEnd]) => {
    const robots = parseRobots(written(all, lineEnd))
    assert.equal(isAllowed(robots, 'Avocet/1.0', ORIGIN + asked), simpleReading(all, 'avocet', asked))
  },
)

const TOKENS = [
  ...[
    '\n',
    '\r',
    '\r\n',
    ' ',
    '\t',
    ':',
    '#',
    '*',
    '$',
    '/',
    '%',
    '%4',
    '%41',
    '%2a',
    '%24',
    '%23',
    '%0a',
    'é',
    '\ufeff',
    '\0',
    '\v',
    '\u00a0',
  ],
  ...[
    'User-agent: avocet\n',
    'User-agent: *\n',
    'Disallow: /\n',
    'Allow: /a\n',
    'Disallow:',
    'Crawl-delay: 3\n',
    'Crawl-delay: 1e9',
    'Sitemap: //x\n',
  ],
  ...['/index.html', '/index.htm\n', 'disallow /a', 'Allow: *a$', 'Disallow: a', 'Disallow: ?x'],
] as const
const file = mutated({ files: corpusOf('robots'), tokens: TOKENS })

const kept = property(
  { name: 'robots-kept', what: 'the rules that are kept of a robots.txt decide what the file decides', runs: 2_500 },
  fc.tuple(
    file,
    fc.array(fc.oneof(path, fc.webPath(), fc.constantFrom('/cart', '/private/press/x', '/a/b', '/robots.txt', '/', '/x.pdf')), {
      minLength: 4,
      maxLength: 8,
    }),
  ),
  ([bytes, paths]) => {
    const robots = parseRobots(bytes)
    const back = parseRobots(keptText(robots, 'avocet'))
    for (const asked of paths) {
      const url = ORIGIN + asked
      assert.equal(isAllowed(back, 'avocet', url), isAllowed(robots, 'avocet', url), asked)
      // Which of several rules of one weight is named may differ.
      assert.equal(decidingRule(back, 'avocet', url)?.pattern.length, decidingRule(robots, 'avocet', url)?.pattern.length, asked)
    }
    assert.deepEqual(sitemapsOf(back, ORIGIN), sitemapsOf(robots, ORIGIN).slice(0, 50), 'sitemaps')
  },
)

const numbers = property(
  { name: 'robots-numbers', what: 'whatever a robots.txt says, delays are within a day and sitemaps are URLs', runs: 2_500 },
  file,
  (bytes) => {
    const robots = parseRobots(bytes)
    for (const name of ['avocet', '*', 'badbot', '__proto__']) {
      const delay = crawlDelayMs(robots, name)
      assert.ok(delay === undefined || (delay >= 0 && delay <= 86_400_000), `${name}: ${String(delay)}`)
    }
    for (const url of sitemapsOf(robots, ORIGIN)) assert.equal(new URL(url).href, url)
    assert.ok(robots.ignoredLines >= 0)
  },
)

/** All of this file. */
export const ROBOTS_PROPERTIES: readonly Property[] = [matcher, kept, numbers]
