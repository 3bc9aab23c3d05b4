// What a robots.txt allows: rows that other engines' own tests taught us, and our answers where they say nothing.
//
// Sources of the rows, with their licences: google/robotstxt robots_test.cc 22b355f and crawler-commons 8e14e27 (Apache-2.0), scrapy/protego
// 81f1b35 (BSD-3), seomoz/reppy e92f22e, samclarke/robots-parser fc27a00 and temoto/robotstxt cadd395 (MIT).
import { isAllowed, parseRobots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'

type Row = readonly [what: string, robots: string, agent: string, path: string, allowed: boolean]

const ROWS: readonly Row[] = [
  // google
  ['lines that mean nothing allow', 'foo: FooBot\nbar: /\n', 'FooBot', '/x/y', true],
  ['keys in any case', 'USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n', 'FooBot', '/x/y', true],
  ['keys in any case', 'USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n', 'FooBot', '/a/b', false],
  ['a missing colon is forgiven', 'user-agent FooBot\ndisallow /\n', 'FooBot', '/x/y', false],
  ['agents end at a space', 'User-Agent: FOO BAR\nAllow: /x/\nDisallow: /\n', 'Foo', '/x/y', true],
  ['paths in their own case', 'user-agent: FooBot\ndisallow: /X/\n', 'FooBot', '/x/y', true],
  ['the longest match decides', 'user-agent: FooBot\nallow: /x/page.html\ndisallow: /x/\n', 'FooBot', '/x/page.html', true],
  [
    'of equals the one that allows',
    'user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/page.html\n',
    'FooBot',
    '/x/page.html',
    true,
  ],
  ['stars count as octets', 'user-agent: FooBot\nallow: /page\ndisallow: /*.htm\n', 'FooBot', '/page.htm', false],
  ['pieces in their order', 'user-agent: FooBot\ndisallow: /*b*a\n', 'FooBot', '/ab', true],
  ['and not one within another', 'user-agent: FooBot\ndisallow: /*a*a\n', 'FooBot', '/a', true],
  ['a star within', 'User-agent: FooBot\nDisallow: /foo/bar/quz\nAllow: /foo/*/qux\n', 'FooBot', '/foo/bar/quz', false],
  ['$ at the end is the end', 'User-agent: FooBot\nDisallow: /foo/bar$\nAllow: /foo/bar/qux\n', 'FooBot', '/foo/bar', false],
  [
    'index.html is its directory',
    'User-Agent: *\nAllow: /allowed-slash/index.html\nDisallow: /\n',
    'foobot',
    '/allowed-slash/',
    true,
  ],
  [
    'but not what is in it',
    'User-Agent: *\nAllow: /allowed-slash/index.html\nDisallow: /\n',
    'foobot',
    '/allowed-slash/a',
    false,
  ],
  [
    'other lines do not end a group',
    'User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n',
    'BarBot',
    '/',
    false,
  ],
  // crawler-commons
  [
    'the whole name, not its beginning',
    'User-agent: crawlerbot\nDisallow: /foo\n\nUser-agent: crawler\nAllow: /foo\n',
    'crawlerbot',
    '/foo',
    false,
  ],
  [
    'groups of one name are joined',
    'User-agent: *\r\nDisallow: /index.html\r\nAllow: /\r\n\r\nUser-agent: *\r\nDisallow: /',
    'anybot',
    '/index.html',
    false,
  ],
  [
    'the query counts',
    'User-agent: *\r\nDisallow: /index.cfm?fuseaction=sitesearch.results*',
    'anybot',
    '/index.cfm?fuseaction=sitesearch.results&type=People',
    false,
  ],
  ['an empty Disallow disallows nothing', 'User-agent: *\r\nDisallow: /disallowed/\r\nDisallow: ', 'anybot', '/', true],
  [
    'who is named is not everybody',
    'User-agent: *\nDisallow: /wild/\n\nUser-agent: mybot\nDisallow: /bot/',
    'mybot',
    '/wild/',
    true,
  ],
  ['a page of HTML allows', '<HTML><HEAD><TITLE>Site under Maintenance</TITLE></HTML>', 'anybot', '/', true],
  ['a version behind the name', 'User-agent: foo/1.2\r\nDisallow: /index.html', 'foo', '/index.html', false],
  ['UTF-8 in a pattern', 'User-agent: *\r\nDisallow: /bücher/\r\nDisallow: /k%C3%B6nyvek/', 'mybot', '/b%C3%BCcher/1', false],
  ['UTF-8 in a URL', 'User-agent: *\r\nDisallow: /k%c3%b6nyvek/', 'mybot', '/könyvek/1', false],
  ['the file itself is always allowed', 'User-agent: *\r\nDisallow: /', 'any-darn-crawler', '/robots.txt', true],
  // protego
  ['disallow, misspelled', 'User-agent: * \nDisallow: /one \nDissallow: /two \nDiasllow: /five \n', '*', '/five', false],
  ['a query right after the host', 'User-agent: * \nDisallow: /? \n', '*', '/?query', false],
  ['rules before any name', 'Disallow: /withoutUA\nUser-Agent: testbot\nDisallow: /withUA\n', 'mybot', '/withoutUA', true],
  [
    'a blank line does not end a group',
    'User-Agent: foo\nAllow: /some/path\nUser-Agent: bar\n\n\nDisallow: /\n',
    'bar',
    '/',
    false,
  ],
  ['a name without rules is still named', 'User-Agent: harrybot\nDisallow: /\nUser-Agent: testbot\n', 'testbot', '/path1', true],
  ['$ elsewhere is a character', 'user-agent: FooBot\ndisallow: /x$/abc\n', 'FooBot', '/x$/abcdef', false],
  ['$ elsewhere is not the end', 'user-agent: FooBot\ndisallow: /y/abc$\n', 'FooBot', '/y/abcdef', true],
  ['an escaped star is a character', 'user-agent: FooBot\ndisallow: /x%2Ax/abc\n', 'FooBot', '/x/abc', true],
  ['a pattern may begin with a star', 'User-Agent: *\nallow: */p\ndisallow: /\n', '*', '/page', true],
  ['two slashes are two', 'User-Agent: *\nDisallow: //folder/*\n', 'FooBot', '/', true],
  ['nothing but the front page', 'User-Agent: *\nallow: /$\ndisallow: /\n', '*', '/page.htm', false],
  // reppy
  ['a byte order mark', '\uFEFFUser-Agent: agent\nDisallow: /path\n', 'agent', '/path', false],
  ['parameters count', 'User-agent: agent\nDisallow: /path;params?query\n', 'agent', '/path;params?query', false],
  // robots-parser
  ['line ends of all kinds', 'User-agent: *\rDisallow: /fish/\r\nDisallow: /test.html\n\n', '*', '/test.html', false],
  ['lines of colons', 'User-agent: *\n:::::another invalid line:::::\nDisallow: /test.html\n', '*', '/test.html', false],
  // temoto
  ['a whole User-Agent header as the name', 'user-agent: googlebot-news\nDisallow: /', 'Googlebot-News (Googlebot)', '/1', false],
  // ours
  ['an escape that need not be one', 'User-agent: *\nDisallow: /%7ejoe', 'x', '/~joe/', false],
  ['an escape that must be one', 'User-agent: *\nDisallow: /a%2Fb', 'x', '/a/b', true],
  ['escapes in either case', 'User-agent: *\nDisallow: /a%2fb', 'x', '/a%2Fb', false],
  ['a percent sign that escapes nothing', 'User-agent: *\nDisallow: /100%', 'x', '/100%/', false],
  ['a percent sign before an escape is no part of another', 'User-agent: *\nDisallow: /b%%41f', 'x', '/b%%41f', false],
  ['nor is it one in a URL', 'User-agent: *\nDisallow: /b%af', 'x', '/b%%41f', true],
  ['a percent sign that escapes nothing is one that is escaped', 'User-agent: *\nDisallow: /100%', 'x', '/100%25', false],
  ['a space in a pattern', 'User-agent: *\nDisallow: /my files/', 'x', '/my%20files/1', false],
  ['a comment ends a line', 'User-agent: * # all\nDisallow: /a # not b', 'x', '/a', false],
  ['a star with more behind it is everybody', 'User-agent: * (all)\nDisallow: /', 'x', '/a', false],
  ['a star with more on it is nobody', 'User-agent: *bot\nDisallow: /', 'bot', '/a', true],
  ['an empty name is nobody', 'User-agent:\nDisallow: /', 'x', '/a', true],
  ['pieces may not overlap', 'User-agent: *\nDisallow: /ab*ba$', 'x', '/aba', true],
  ['a star may stand for nothing', 'User-agent: *\nDisallow: /ab*ba$', 'x', '/abba', false],
  ['the last piece is at the end, wherever it was before', 'User-agent: *\nDisallow: /*.php$', 'x', '/a.php/b.php', false],
  ['a star before $ is anything', 'User-agent: *\nDisallow: /a*$', 'x', '/abc', false],
  [
    'names of the language are names',
    'User-agent: __proto__\nDisallow: /\nUser-agent: constructor\nDisallow: /c',
    '__proto__',
    '/x',
    false,
  ],
  ['nobody is called constructor', 'User-agent: *\nDisallow: /', 'constructor', '/x', false],
]

describe('isAllowed', () => {
  it.each(ROWS)('%s: %j, %s, %s', (_what, robots, agent, path, allowed) => {
    expect(isAllowed(parseRobots(robots), agent, `http://shop.test${path}`)).toBe(allowed)
  })

  it.each([
    ['http://shop.test', '/'],
    ['http://shop.test?q', '/?q'],
    ['http://shop.test/a#b/c', '/a'],
    ['shop.test/a?u=http://b.test/', '/a?u=http://b.test/'],
    ['', '/'],
  ])('takes the path of %j to be %s', (url, path) => {
    expect(isAllowed(parseRobots(`User-agent: *\nDisallow: ${path}$`), 'x', url)).toBe(false)
  })

  it('matches the octets of a file in no known charset', () => {
    const latin1 = Buffer.from('User-agent: *\nDisallow: /b\xfccher/', 'latin1')

    expect(isAllowed(parseRobots(latin1), 'x', 'http://shop.test/b%FCcher/')).toBe(false)
    expect(isAllowed(parseRobots(latin1), 'x', 'http://shop.test/b%C3%BCcher/')).toBe(true)
  })
})

// Each would run into the limit of the test if its work grew as it must not.
describe('isAllowed is done in time', () => {
  it('with a pattern of 4,000 stars, where going back and trying again would never end', () => {
    const stars = '*a'.repeat(4_000)
    const robots = parseRobots(`User-agent: *\nDisallow: /${stars}b$\nDisallow: /${stars}*b`)

    expect(isAllowed(robots, 'x', `http://shop.test/${'a'.repeat(16_000)}`)).toBe(true)
  })

  it('with the groups of a file, where joining them for every agent would be 100 million rules', () => {
    const agents = Array.from({ length: 10_000 }, (_, n) => `User-agent: a${n}\n`).join('')
    const rules = Array.from({ length: 10_000 }, (_, n) => `Disallow: /${n}\n`).join('')

    expect(isAllowed(parseRobots(agents + rules), 'a7', 'http://shop.test/7')).toBe(false)
  })

  it('with 5,000 patterns with stars that are all tried, for the longest URL, and beyond them the answer is no', () => {
    const words = Array.from({ length: 400 }, (_, n) => n.toString(36).padStart(2, '0'))
    const robots = (patterns: number): string =>
      'User-agent: *\n' +
      Array.from({ length: patterns }, (_, n) => `Disallow: /*${words[n % 400]}${'ABCDEFGHIJKLM'[Math.floor(n / 400)]}\n`).join(
        '',
      )
    const url = `http://shop.test/${words.join('-').padEnd(1_999, '-')}`

    expect(isAllowed(parseRobots(robots(5_000)), 'x', url)).toBe(true)
    expect(isAllowed(parseRobots(robots(5_001)), 'x', url)).toBe(false)
    expect(isAllowed(parseRobots(robots(5_001)), 'x', 'http://shop.test/a')).toBe(true)
  })
})
