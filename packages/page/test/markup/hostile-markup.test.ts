// What a page may cost: nothing that it says makes a field of it long, a page large, or a step of reading it more than a fraction of the whole.
import { pageOf } from '@avocet/page'
import { describe, expect, it } from 'vitest'
import { contentTypeOf, decodedInSteps, decodeText } from '../../src/markup/charset.ts'
import { robotsDirectives } from '../../src/directives.ts'
import { scanHtml } from '../../src/markup/scanner.ts'
import { requestOf, responseOf } from '../../../core/test/page-parts.ts'

const NO_BODY = new Uint8Array(0)
const MIB = 2 ** 20

function page(body: string | Uint8Array, contentType = 'text/html; charset=utf-8'): ReturnType<typeof pageOf> {
  const url = 'https://shop.example/a/b'
  return pageOf({ request: requestOf(url), response: responseOf({ 'content-type': contentType }, body, url) })
}

/** CPU time in ms of `work`: another process on the machine changes it little. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('a Content-Type field', () => {
  it('of 30,000 spaces takes no time, and is the type that it begins with', () => {
    const field = `text/html${' '.repeat(30_000)};x`

    // 700 ms when all of it is parsed, and four times that for twice as many.
    expect(cpuMs(() => contentTypeOf(field, NO_BODY))).toBeLessThan(100)
    expect(contentTypeOf(field, NO_BODY)).toEqual({ essence: 'text/html' })
  })

  it('that is too long keeps the parameters that are whole', () => {
    const field = `text/html; charset=shift_jis; x=${'y'.repeat(400)}; charset2=${'z'.repeat(400)}`

    expect(contentTypeOf(field, NO_BODY)).toEqual({ essence: 'text/html', charset: 'shift_jis' })
  })
})

describe('an attribute', () => {
  it('of 9 MB is read for 16 KiB, so its references are not decoded one by one', () => {
    const { robots, refreshes } = scanHtml(
      `<meta name=robots content="nofollow,${'&amp;'.repeat(1_800_000)}"><meta http-equiv=refresh content="1;${' '.repeat(9_000_000)}x">`,
    )

    expect(robots[0]?.length).toBeLessThanOrEqual(16_384)
    expect(refreshes[0]?.length).toBeLessThanOrEqual(16_384)
    expect(robotsDirectives(robots, []).nofollow).toBe(true)
  })

  it('of which only the fragment is too long is a target, and no other half of one is', () => {
    const given = page(
      `<a href="/a#${'x'.repeat(20_000)}">1</a><a href="${' '.repeat(16_380)}/bcdefgh">2</a><a href="${'&#9;'.repeat(5_000)}/c">3</a><a href="/d">4</a>`,
    )

    expect(given.anchors.map(({ url }) => url)).toEqual(['https://shop.example/a', 'https://shop.example/d'])
  })
})

describe('the links of a page', () => {
  it('are 2 Mi characters at most, and the page says that there were more', () => {
    const anchors = Array.from({ length: 10_000 }, (_, n) => `<a href="/${n}/${'x'.repeat(900)}">t</a>`).join('')
    const given = page(anchors)

    expect(given.truncated).toBe(true)
    expect(given.anchors.length).toBeGreaterThan(2_000)
    expect(given.anchors.reduce((sum, { url }) => sum + url.length, 0)).toBeLessThanOrEqual(2 * MIB)
  })

  it('are no more with a long base', () => {
    const given = page(`<base href="https://shop.example/${'x'.repeat(1_900)}/">${'<a href=1>t</a>'.repeat(5_000)}`)

    expect(given.truncated).toBe(true)
    expect(given.anchors.length).toBeGreaterThan(1_000)
    expect(given.anchors.reduce((sum, { url }) => sum + url.length, 0)).toBeLessThanOrEqual(2 * MIB)
  })

  it('are all there when there are 10,000 of 200 characters', () => {
    const given = page(Array.from({ length: 10_000 }, (_, n) => `<a href="/${n}/${'x'.repeat(170)}">t</a>`).join(''))

    expect(given.truncated).toBe(false)
    expect(given.anchors).toHaveLength(10_000)
  })
})

describe('markup without an end', () => {
  const before = '<a href=/before>'
  const after = '<a href=/after>'

  it.each([
    ['a tag of spaces', `<p${' '.repeat(2 * MIB)}>`],
    ['a tag of attributes', `<p${' a'.repeat(MIB)}>`],
    ['a tag of one name', `<p ${'a'.repeat(2 * MIB)}>`],
    ['a value without quotes', `<p a=${'b'.repeat(2 * MIB)}>`],
    ['a title of end tags', `<title>${'</'.repeat(1_100_000)}</title>`],
    ['a comment of dashes', `<!--${'-- '.repeat(1_100_000)}-->`],
    ['a script of comments', `<script>${'<!-- '.repeat(1_100_000)}</script>`],
  ])('ends the document, which keeps what came before: %s', (_what, markup) => {
    const scan = scanHtml(before + markup + after)

    expect(scan.anchors.map(({ href }) => href)).toEqual(['/before'])
    expect(scan.truncated).toBe(true)
  })

  it.each([
    ['a quoted value', `<img src="${'a'.repeat(3 * MIB)}" alt=x>`],
    ['a script', `<script>${'x = 1 < 2; '.repeat(300_000)}</script>`],
    ['a comment', `<!-- ${'word - '.repeat(500_000)} -->`],
    ['a run of dashes', `<!-- ${'-'.repeat(3 * MIB)}-->`],
    ['a name', `<${'p'.repeat(1_000)}>`],
  ])('is distinguished from what is only long: %s', (_what, markup) => {
    const scan = scanHtml(before + markup + after)

    expect(scan.anchors.map(({ href }) => href)).toEqual(['/before', '/after'])
    expect(scan.truncated).toBe(false)
  })
})

describe('a large page', () => {
  it('is the same read in steps', () => {
    const body = `<title>é</title><base href=/x/>${'<p><a href="y z">one &amp; two</a><!-- - --><script>"</b>"</script>'.repeat(12_000)}`
    const inSteps = page(body)
    const steps = [...inSteps.inSteps()].length
    const atOnce = page(body)

    expect(steps).toBeGreaterThan(40)
    expect(inSteps.title).toBe('é')
    expect(inSteps.anchors).toEqual(atOnce.anchors)
    expect(inSteps.truncated).toBe(atOnce.truncated)
  })

  it.each([
    ['a comment', '<!--', '-->'],
    ['a script', '<script>', '</script>'],
    ['an attribute', '<p title="', '">'],
    ['text', '', ''],
  ])('takes few steps for megabytes of %s, which nothing is to be done about', (_what, open, close) => {
    const inSteps = page(`<title>x</title>${open}${'- '.repeat(2 * MIB)}${close}<a href=/end>end</a>`)

    expect([...inSteps.inSteps()].length).toBeLessThan(8)
    expect(inSteps.anchors).toHaveLength(1)
  })

  it('is decoded at once up to 4 MiB, where that is quick', () => {
    const decoding = decodedInSteps(new TextEncoder().encode('é'.repeat(MIB)), 'UTF-8')

    expect(decoding.next()).toEqual({ done: true, value: 'é'.repeat(MIB) })
  })

  it.each(['UTF-8', 'windows-1252'])('above 4 MiB is decoded in steps as at once, where that is quick: %s', (charset) => {
    const body = new TextEncoder().encode('日本語é'.repeat(MIB / 2))
    const decoding = decodedInSteps(body, charset)
    let step = decoding.next()
    let steps = 0
    for (; step.done !== true; step = decoding.next()) steps++

    expect(steps).toBe(2)
    expect(step.value === decodeText(body, charset)).toBe(true)
  })

  it.each(['UTF-8', 'ISO-2022-JP', 'gb18030', 'Big5', 'EUC-KR', 'Shift_JIS', 'UTF-16LE', 'UTF-16BE', 'KOI8-R'])(
    'is decoded in steps as at once: %s',
    (charset) => {
      // Every byte at every place of a character, whichever piece it falls into; escapes of ISO-2022-JP too.
      const body = Uint8Array.from({ length: 2 * MIB - 1 }, (_, at) =>
        at % 7 === 0 ? ([0x1b, 0x24, 0x42][(at / 7) % 3] ?? 0) : (at * 7) & 255,
      )
      const decoding = decodedInSteps(body, charset)
      let step = decoding.next()
      let steps = 0
      for (; step.done !== true; step = decoding.next()) steps++

      expect(steps).toBeGreaterThanOrEqual(4)
      expect(step.value === decodeText(body, charset)).toBe(true)
    },
  )
})
