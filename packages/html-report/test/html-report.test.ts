// A report as a file: what it draws, and that nothing in it is more than text.
import { htmlReport, type RateChart, type ReportPage } from '@avocet/html-report'
import { describe, expect, it } from 'vitest'
import { Markup, markup } from '../src/markup.ts'
import { rateChart } from '../src/rate-chart.ts'

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

    expect(html).not.toMatch(/<script|\u202e/)
    expect(html.split('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;\\u{202e}').length).toBeGreaterThan(25)
    expect(html).not.toMatch(/<link|<img|@import|url\(|\son\w+=|\b(?:src|href)=/i)
    expect(html).not.toMatch(/NaN|Infinity|undefined|\[object/)
  })

  it('may be empty', () => {
    const html = htmlReport({ title: 'none', subtitle: '', facts: [], parts: [], footer: '' })

    expect(html).toContain('<title>none: report of a crawl</title>')
    expect(html).not.toContain('<table>')
  })
})

describe('a chart', () => {
  it('has all bars of a long crawl, however long its path is', () => {
    const html = htmlReport(page)
    const [well = ''] = /<path class="bar-well" d="[^"]*"/.exec(html) ?? []

    expect(well.split('M')).toHaveLength(97)
    expect(html).not.toContain('…')
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
