// Bodies without the secrets of a crawl: a value as it is, percent-encoded and escaped as in JSON, and nothing else.
import { describe, expect, it, vi } from 'vitest'
import { withoutBodySecrets } from '../src/body-secrets.ts'

const SECRET = 'aB3/x+9.kT?z'

function hidden(text: string, names: readonly string[] = ['token'], values: readonly string[] = []): string | undefined {
  const body = withoutBodySecrets(Buffer.from(text), { names, values })
  return body && Buffer.from(body).toString()
}

const json = (text: string): string => JSON.stringify(text)
const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
const percent = (text: string): string =>
  text
    .split('')
    .map((sign) => (/\w/.test(sign) ? sign : `%${sign.charCodeAt(0).toString(16)}`))
    .join('')

describe('a value that the crawl knows is hidden', () => {
  const spellings: Record<string, string> = {
    'as it is': SECRET,
    'in a query': encodeURIComponent(SECRET),
    'in a query in a query': encodeURIComponent(encodeURIComponent(SECRET)),
    'with all signs percent-encoded': percent(SECRET),
    'with slashes escaped': SECRET.replaceAll('/', '\\/'),
    'as JSON escapes it': SECRET.replaceAll('/', String.raw`\u002F`).replaceAll('+', String.raw`\u002b`),
    'as JSON in JSON escapes it': json(SECRET.replaceAll('/', String.raw`\u002f`)).slice(1, -1),
    'percent-encoded in an attribute in JSON': json(html(encodeURIComponent(SECRET))).slice(1, -1),
  }

  it.each(Object.keys(spellings))('%s', (spelling) => {
    expect(hidden(`<p>before ${spellings[spelling]} behind`, [], [SECRET])).toBe('<p>before __secret__ behind')
  })

  it('in words of other languages', () => {
    expect(hidden('ü Пароль1ü %D0%9F%D0%B0%D1%80%D0%BE%D0%BB%D1%8C1.', [], ['Пароль1'])).toBe('ü __secret__ü __secret__.')
  })

  it('where a backslash or a percent sign happens to stand before it', () => {
    expect(hidden(String.raw`DOMAIN\nab12345 100%ab12345`, [], ['nab12345', 'ab12345'])).toBe(
      String.raw`DOMAIN\__secret__ 100%__secret__`,
    )
  })

  it('as a query wrote it, with a plus for a space', () => {
    expect(hidden('one+two3 one%20two3 one two3', [], ['one+two3'])).toBe('__secret__ __secret__ __secret__')
  })

  it.each([
    ['12345678 1123456789 tomato tomatoes', '__secret__ 1123456789 __secret__ tomatoes'],
    ['12345678.50 0.12345678 1,12345678', '12345678.50 0.12345678 1,12345678'],
    ['<p class="tomato-item my_tomato">tomato.', '<p class="tomato-item my_tomato">__secret__.'],
    ['{"a":12345678.5,"b":-12345678,"c":12345678}', '{"a":12345678.5,"b":-0,"c":0}'],
  ])('but not as a part of a longer number or word: %s', (text, expected) => {
    expect(hidden(text, [], ['12345678', 'tomato'])).toBe(expected)
  })

  it('also a long one beside a text that begins like it ten thousand times', () => {
    const long = `visi${'q7Rz'.repeat(400)}`

    expect(hidden(`${'visible '.repeat(10_000)}${long}`, [], [long])).toBe(`${'visible '.repeat(10_000)}__secret__`)
  })
})

describe('a value that has the name of a secret is hidden, here and wherever else it is', () => {
  it.each([
    ['{"token": "ab12cd34"}', '{"token": "__secret__"}'],
    ['{"token": 12345678, "n": 1}', '{"token": 0, "n": 1}'],
    ['{"token": "ab\\"12cd34"}', '{"token": "__secret__"}'],
    ["{'token': 'ab12cd34'}", "{'token': '__secret__'}"],
    ["f({ token: 'ab12cd34', a: 1 })", "f({ token: '__secret__', a: 1 })"],
    ['const token = `ab12cd34`', 'const token = `__secret__`'],
    ["window.token='ab12cd34'", "window.token='__secret__'"],
    [String.raw`"{\"token\":\"ab12cd34\"}"`, String.raw`"{\"token\":\"__secret__\"}"`],
    ['%7B%22token%22%3A%22ab12cd34%22%7D', '%7B%22token%22%3A%22__secret__%22%7D'],
    ['<a href="/r?to=%2Fa%3Ftoken%3Dab12cd34%26b%3D1">', '<a href="/r?to=%2Fa%3Ftoken%3D__secret__%26b%3D1">'],
    ['<a href="/a?b=1&amp;token=ab12cd34&amp;c=2">', '<a href="/a?b=1&amp;token=__secret__&amp;c=2">'],
    ['<div data-x="{&quot;token&quot;:&quot;ab12cd34&quot;}">', '<div data-x="{&quot;token&quot;:&quot;__secret__&quot;}">'],
    ['<div data-token="ab12cd34">', '<div data-token="__secret__">'],
    ['<textarea name="token">ab12cd34</textarea>', '<textarea name="token">__secret__</textarea>'],
    ['<meta content="ab12cd34" name="token">', '<meta content="__secret__" name="token">'],
    ["<input value='ab12cd34' type=hidden name=token>", "<input value='__secret__' type=hidden name=token>"],
    ['<input name=token value="two words">', '<input name=token value="__secret__">'],
    ['<token>ab12cd34</token>', '<token>__secret__</token>'],
    ['fetch("/a", { body: "token=ab12cd34&a=1" })', 'fetch("/a", { body: "token=__secret__&a=1" })'],
    ['document.cookie = "a=1; token=ab12cd34; path=/"', 'document.cookie = "a=1; token=__secret__; path=/"'],
    [String.raw`{"next":"/a?b=1\u0026token=abcdefgh\u0026c=2"}`, String.raw`{"next":"/a?b=1\u0026token=__secret__\u0026c=2"}`],
    ['{"TOKEN":"ab12cd34"} on ab12cd34', '{"TOKEN":"__secret__"} on __secret__'],
    ['{"token":"a/b12cd34"} a%2Fb12cd34 a\\/b12cd34', '{"token":"__secret__"} __secret__ __secret__'],
    ['<a href="/a?x=1&amp;token=abcdefgh">', '<a href="/a?x=1&amp;token=__secret__">'],
    ['<input type=hidden name="token" value="abcdefgh">', '<input type=hidden name="token" value="__secret__">'],
    ['<input value="abcdefgh" type="hidden" name="token">', '<input value="__secret__" type="hidden" name="token">'],
    ['<a href="/a?tokens=abcdefgh">', '<a href="/a?tokens=abcdefgh">'],
    ['window["token"]="ab12cd34"', 'window["token"]="__secret__"'],
    ['{"token":["ab12cd34"]}', '{"token":["__secret__"]}'],
    ['<token><![CDATA[ab12cd34]]></token>', '<token><![CDATA[__secret__]]></token>'],
    [String.raw`{"token": "  \\", "token": "ab12cd34"}`, String.raw`{"token": "  \\", "token": "__secret__"}`],
  ])('%s', (text, expected) => {
    expect(hidden(text)).toBe(expected)
    expect(hidden(expected)).toBe(expected)
  })

  it('which is no end to the JSON that a handler reads', () => {
    const text = JSON.stringify({ token: 12_345_678, ids: [12_345_678], name: 'tea', more: { token: 'a"b\\c1' } })

    expect(JSON.parse(hidden(text) ?? '')).toEqual({ token: 0, ids: [0], name: 'tea', more: { token: '__secret__' } })
  })
})

describe('a page stays as it is, byte for byte', () => {
  it.each([
    '<h1>Token ring</h1><p>Price per token: 0.000123456 EUR, session: 10:30. The token is a token; key: see below.</p>',
    '<p>Session: Winter 2025, key = 42</p><h2 id="session">Our session</h2>',
    '{"name":"tea","price":12.99,"attributes":[{"key":"material","value":"cotton"},{"key":"colour","value":"white"}]}',
    '{"key": "value"}',
    '{"key": "Size (EU) 42", "session": "2025-11-23", "token": 0.00012345, "key": null, "session": true, "key": 17}',
    '<dl><dt>key</dt><dd>AB12345</dd></dl><div data-key="in stock" data-session="">',
    '<select name="session"><option value="s1-2025">Winter</select><label for="token">Token</label>',
    'if (token === "ab12cd34") session == 12345678; accessToken = "ab12cd34"; my_key: "ab12cd34"',
    '{"tokens":["ab12cd34"],"monkey":"ab12cd34","keys":{"a":"ab12cd34"}}',
    'const columns = ["sku", "token", "price2024"]',
    'caf\u00e9 100% &amp; \\d \\u00 %zz &nothing; &#xffffffff;',
  ])('%s', (text) => {
    expect(hidden(text, ['token', 'session', 'key'])).toBe(text)
  })

  it('also where there is none, as of a redirect', () => {
    const body = new Uint8Array()

    expect(withoutBodySecrets(body, { names: ['token'], values: ['ab12cd34'] })).toBe(body)
  })

  it('also where it is not of UTF-8', () => {
    const body = Uint8Array.from({ length: 4_096 }, (_, at) => ((at * 7) % 255) + 1)

    expect(withoutBodySecrets(body, { names: ['token'], values: ['ab12cd34'] })).toBe(body)
  })
})

it('of UTF-16, or with too many values for its length, nothing is given out', () => {
  const utf16 = ['{"token":"ab12cd34"}', '\u4e2dtoken=ab12cd34', '\ufeff\u4e2d'].map((text) => Buffer.from(text, 'utf16le'))
  const searched = utf16.map((body) => withoutBodySecrets(body, { names: ['token'], values: [] }))
  expect(searched).toEqual([undefined, undefined, undefined])
  const values = Array.from({ length: 40 }, (_, at) => `ab12cd${at}`)
  expect(withoutBodySecrets(Buffer.alloc(2 ** 22, 'a'), { names: [], values })).toBeUndefined()
})

it('keeps nothing of a body for which there is no stack', () => {
  using _ = vi.spyOn(String.prototype, 'replace').mockImplementationOnce(() => {
    throw new RangeError('Maximum call stack size exceeded')
  })

  expect(withoutBodySecrets(Buffer.from('?token=1234abcd'), { names: ['token'], values: [] })).toBeUndefined()
})

describe('a body of 4 MiB is searched in 1 s of CPU time', () => {
  const TEA = '<li><a href="/tea?id=4711&amp;token=ab12cd34">Tea &amp; more</a> "price": 12.99, %20 <input name="q" value="">\n'
  const values = Array.from({ length: 30 }, (_, at) => `ab12cd${at}-secret`)
  const hostile = ['value=', '<input ', '?token=', '"token":"', ' name=token', '%41', '%25', '&amp;', '\\\\', "token: '"]

  it.each([TEA, ...hostile, '<token>', 'token=\\"', '{token:1', '<a token=a ', 'ab12cd1'])('of %j', (piece) => {
    const body = Buffer.from(piece.repeat(Math.floor(2 ** 22 / piece.length)))
    const before = process.cpuUsage().user
    withoutBodySecrets(body, { names: ['token', 'session'], values })

    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
  })

  it('of the beginning of a long value, again and again', () => {
    const body = Buffer.from('a1'.repeat(2 ** 21))
    const before = process.cpuUsage().user
    withoutBodySecrets(body, { names: [], values: [`${'a1'.repeat(2_000)}b`] })

    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
  })
})
