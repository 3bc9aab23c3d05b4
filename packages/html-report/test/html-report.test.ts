// A report as a file: what it draws, and that nothing in it is more than text.
import { htmlReport, type RateChart, type ReportPage } from '@avocet/html-report'
import { describe, expect, it } from 'vitest'
import { Markup, markup } from '../src/markup.ts'
import { rateChart, rateSpark } from '../src/rate-chart.ts'

const EVIL = `"><script>alert(1)</script>'\u202e`
const SPAN = { from: 0, until: 960_000 }

/** 96 stretches, as many as a report has of one host, with all three kinds of ends. */
const busy: RateChart = {
  title: EVIL,
  span: SPAN,
  widthMs: 10_000,
  stretches: Array.from({ length: 96 }, (_, n) => ({ at: n * 10_000, requests: 101 + n, refusals: 3, failures: 2 })),
}
const steps = busy.stretches.map(({ at }) => ({ at, firstByte: { halfMs: 30, nineInTenMs: 200, most99Ms: 4_000 } }))

const page: ReportPage = {
  title: EVIL,
  subtitle: EVIL,
  facts: [{ name: EVIL, value: EVIL, note: EVIL }],
  parts: [
    { kind: 'sentence', text: [EVIL, { code: EVIL }] },
    { kind: 'rate', title: EVIL, chart: busy, note: EVIL },
    { kind: 'latency', title: EVIL, chart: { span: SPAN, widthMs: 10_000, steps } },
    { kind: 'rates', title: EVIL, note: EVIL, charts: [{ name: EVIL, note: EVIL, found: EVIL, chart: busy }] },
    {
      kind: 'table',
      title: EVIL,
      lead: EVIL,
      note: EVIL,
      columns: [
        { name: EVIL, kind: 'name' },
        { name: EVIL, kind: 'text' },
        { name: EVIL, kind: 'number' },
      ],
      rows: [{ cells: [EVIL, busy, null], isBad: true }, { cells: [EVIL] }],
      foot: EVIL,
    },
  ],
  footer: EVIL,
}

describe('a report', () => {
  it('shows every text as text, wherever it stands', () => {
    const html = htmlReport(page)

    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/\u202e/)
    expect(html.split('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;\\u{202e}').length).toBeGreaterThan(25)
    expect(html).not.toMatch(/<link|<img|@import|url\(|\son\w+=|\bsrc=|\bhref="(?!#part-\d+")/i)
    expect(html.replace(/<script>.*<\/script>/s, '')).not.toMatch(/NaN|Infinity|undefined|\[object/)
  })

  it('may be empty', () => {
    const html = htmlReport({ title: 'none', subtitle: '', facts: [], parts: [], footer: '' })

    expect(html).toContain('<title>none: report of a crawl</title>')
    expect(html).not.toMatch(/<table>|<script|<nav/)
  })
})

describe('a table', () => {
  const table = {
    kind: 'table' as const,
    title: 'Hosts',
    columns: [
      { name: 'host', kind: 'name' as const },
      { name: 'half in', kind: 'number' as const },
    ],
    rows: [{ cells: ['shop.example', { text: '1 min 30 s', order: 90_000 }], isBad: true }],
  }

  it('is read without the script: a caption, headings of columns and rows, and a region that the keyboard can scroll', () => {
    const html = htmlReport({ title: 't', subtitle: '', facts: [], parts: [table], footer: '' })

    expect(html).toContain('<caption>Hosts</caption>')
    expect(html).toContain('<th scope="col" class="number">half in</th>')
    expect(html).toContain(
      '<tr class="bad"><th scope="row" class="name">shop<wbr>.example</th><td data-order="90000">1 min 30 s</td></tr>',
    )
    expect(html).toContain('<div class="scroll" role="region" tabindex="0" aria-label="Hosts">')
    expect(html).not.toContain('<button')
  })

  it('is listed above a page that has several headings, each with its link', () => {
    const html = htmlReport({ title: 't', subtitle: '', facts: [], parts: [table, table, table, table], footer: '' })
    const [links, places] = [/href="#(part-\d)"/g, /<h2 id="(part-\d)"/g].map((each) =>
      [...html.matchAll(each)].map(([, id]) => id),
    )

    expect(links).toEqual(['part-0', 'part-1', 'part-2', 'part-3'])
    expect(places).toEqual(links)
  })
})

describe('a chart', () => {
  it('is drawn for a wide page and anew for a telephone, with words of the same size', () => {
    const html = htmlReport(page)

    expect(html.match(/<svg class="large" viewBox="0 0 960 240"/g)).toHaveLength(2)
    expect(html.match(/<svg class="narrow" viewBox="0 0 360 220"/g)).toHaveLength(2)
    expect(html).toMatch(/@media \(max-width: 40rem\) \{\s*svg\.large \{ display: none \}/)
  })

  it('in a row of a table has at most 32 bars, and no request is lost', () => {
    const stretches = Array.from({ length: 960 }, (_, n) => ({ at: n * 1_000, requests: 1, refusals: 0, failures: 0 }))
    const spark = String(rateSpark({ title: 'long', span: SPAN, widthMs: 1_000, stretches }))

    expect(spark.match(/M/g)).toHaveLength(32)
    expect(new Set(spark.match(/V[\d.]+h/g))).toEqual(new Set(['V1h']))
  })

  it('has all bars of a long crawl, however long its path is', () => {
    const html = htmlReport(page)
    const [well = ''] = /<path class="bar-well" d="[^"]*"/.exec(html) ?? []

    expect(well.split('M')).toHaveLength(97)
    expect(html).not.toContain('…')
  })

  it.each([
    ['large', 960],
    ['narrow', 360],
    ['small', 320],
  ] as const)('has all times of a %s chart within its picture of %i, and apart from each other', (size, width) => {
    const minute = Date.UTC(2026, 10, 23, 14, 1)
    for (let seconds = 2; seconds <= 400; seconds++) {
      const span = { from: minute, until: minute + seconds * 1_000 }
      const picture = String(rateChart({ span, widthMs: 1_000, stretches: [], title: 'rate' }, size))
      const words = [...picture.matchAll(/class="axis" x="([\d.]+)" [^>]*text-anchor="middle">([\d:]+)</g)]
      // A digit of 11 px is 6.6 px wide in a wide font.
      const places = words.map(([, x, word = '']) => ({ from: Number(x) - word.length * 3.3, to: Number(x) + word.length * 3.3 }))

      expect(places.length, `${seconds} s`).toBeGreaterThan(0)
      expect(
        places.every(({ to }) => to <= width),
        `${seconds} s`,
      ).toBe(true)
      expect(
        places.every(({ from }, n) => from >= (places[n - 1]?.to ?? 0)),
        `${seconds} s`,
      ).toBe(true)
    }
  })

  it('draws the rate that was found, unless that is far above what something else allowed', () => {
    const stretches = [{ at: 0, requests: 5, refusals: 0, failures: 0 }]
    const chart = { span: { from: 0, until: 20_000 }, widthMs: 5_000, stretches, title: 'one a second' }

    expect(String(rateChart({ ...chart, foundRps: 2 }, 'small'))).toContain('class="found"')
    expect(String(rateChart({ ...chart, foundRps: 20 }, 'small'))).not.toContain('class="found"')
  })

  it('escapes whatever is put into a template, and nothing twice', () => {
    expect(markup`<b title="${`"&`}">${['<', markup`<i>${'>'}</i>`, 1 / 3, null]}</b>`.toString()).toBe(
      '<b title="&quot;&amp;">&lt;<i>&gt;</i>0.33</b>',
    )
    expect(Markup.ours('<hr>').toString()).toBe('<hr>')
  })
})

describe('a name in a table', () => {
  it('breaks before its separators, and never within what is escaped', () => {
    const html = (name: string): string => Markup.name(name).toString()

    expect(html('127.0.0.1:18106')).toBe('127<wbr>.0<wbr>.0<wbr>.1<wbr>:18106')
    expect(html('https://shop.test/a?b=1&c=<i>')).toBe('https<wbr>://shop<wbr>.test<wbr>/a<wbr>?b<wbr>=1&amp;c<wbr>=&lt;i&gt;')
  })
})
