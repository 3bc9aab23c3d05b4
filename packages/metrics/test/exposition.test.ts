// What the text format makes of families, hostile labels among them.
import { describe, expect, it } from 'vitest'
import { exposition, type MetricFamily } from '../src/laws/family.ts'
import { wholeFamilies } from './whole-families.ts'
import { strictlyParsed } from './strict-parser.ts'

const PAGES: MetricFamily = { name: 'pages_total', help: 'Pages', type: 'counter', samples: [{ value: 3 }] }
const BUILD: MetricFamily = { name: 'build_info', help: 'Build', type: 'info', samples: [{ labels: { version: '1' }, value: 1 }] }
const TOOK: MetricFamily = {
  name: 'took_seconds',
  help: 'Time',
  type: 'histogram',
  bounds: [0.5, 1],
  of: { counts: [2, 0, 1], sum: 3.5 },
}

describe('the text format 0.0.4', () => {
  it('has the whole name of a counter, an info as a gauge, and cumulative buckets', () => {
    expect(exposition([PAGES, BUILD, TOOK]).split('\n')).toEqual([
      '# HELP pages_total Pages',
      '# TYPE pages_total counter',
      'pages_total 3',
      '# HELP build_info Build',
      '# TYPE build_info gauge',
      'build_info{version="1"} 1',
      '# HELP took_seconds Time',
      '# TYPE took_seconds histogram',
      'took_seconds_bucket{le="0.5"} 2',
      'took_seconds_bucket{le="1.0"} 2',
      'took_seconds_bucket{le="+Inf"} 3',
      'took_seconds_sum 3.5',
      'took_seconds_count 3',
      '',
    ])
  })
})

describe('the metrics of a crawl', () => {
  it('have the hosts by judgement, and the visits of the last round that were due and made', () => {
    const lines = exposition(wholeFamilies()).split('\n')

    expect(lines.filter((line) => /^avocet_(?:hosts|round_)/.test(line))).toEqual([
      'avocet_round_due_visits{every="60"} 5',
      'avocet_round_made_visits{every="60"} 4',
      'avocet_hosts{judgement="fine"} 3',
      'avocet_hosts{judgement="broken layout"} 1',
    ])
  })
})

describe('a label', () => {
  const read = (host: string): string | undefined => {
    const text = exposition([{ name: 'up', help: 'Up\nor "not" \\', type: 'gauge', samples: [{ labels: { host }, value: 1 }] }])
    return strictlyParsed(text).get('up')?.samples[0]?.labels['host']
  }

  it.each(['a"b', 'back\\slash', 'two\nlines', '"} 1\nup{host="x', '\\n', '<script>alert(1)</script>', '{}', 'café', '🐦', ''])(
    'is %j again when it is read',
    (host) => {
      expect(read(host)).toBe(host)
    },
  )

  it('shows what a terminal would obey, and is cut where it is long', () => {
    expect(read('a\u001b[2J\u202e\u0000b\r\u2028')).toBe('a\\u{1b}[2J\\u{202e}\\u{0}b\\u{d}\\u{2028}')
    expect(read('\ud800x')).toBe('\\u{d800}x')
    expect(read('x'.repeat(10_000))).toHaveLength(300)
  })

  it('has numbers that are none in the words of the format', () => {
    const samples = [Number.NaN, Infinity, -Infinity, 1e21, 5e-324].map((value, n) => ({ labels: { n: String(n) }, value }))
    const read = strictlyParsed(exposition([{ name: 'odd', help: 'Odd', type: 'gauge', samples }]))
    expect(read.get('odd')?.samples.map(({ value }) => value)).toEqual([Number.NaN, Infinity, -Infinity, 1e21, 5e-324])
  })
})
