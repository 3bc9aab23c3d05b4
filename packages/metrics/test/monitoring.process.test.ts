// The dashboard, the alerts and the configuration of Prometheus that come with the package: they name metrics that exist, and their queries are queries.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CATALOGUE, type MetricName } from '../src/laws/catalogue.ts'

const FOLDER = join(import.meta.dirname, '../monitoring')
const PROMTOOL = process.env['AVOCET_TEST_PROMTOOL'] ?? 'promtool'
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0

interface Panel {
  readonly type: string
  readonly id: number
  readonly title: string
  readonly description?: string
  readonly datasource?: unknown
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly datasource: unknown; readonly legendFormat: string }[]
}

const text = readFileSync(join(FOLDER, 'dashboard.json'), 'utf8')
const alerts = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')
const dashboard = JSON.parse(text) as {
  readonly id: null
  readonly uid?: string
  readonly schemaVersion: number
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr?: string }[] }
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] }
}
const expressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.flatMap(({ expr = [] }) => expr),
]

/** Metrics that a text names. */
function namesIn(of: string): Set<string> {
  return new Set([...of.matchAll(/\b(?:avocet|process)_[a-z0-9_]+(?=[{[\s)]|$)/g)].map(([name]) => name.replace(/_bucket$/, '')))
}

describe('the dashboard', () => {
  it('is imported as it is: no id of its own, its data source is a variable', () => {
    expect([dashboard.id, dashboard.uid, dashboard.schemaVersion]).toEqual([null, undefined, 39])
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
      ['instance', 'query'],
    ])
    expect(text).not.toContain('__inputs')
    const source = { type: 'prometheus', uid: '${datasource}' }
    for (const { type, datasource, targets = [] } of dashboard.panels)
      if (type !== 'row')
        expect([datasource, ...targets.map((target) => target.datasource)]).toEqual([source, ...targets.map(() => source)])
  })

  it('names metrics that exist, and shows each kind of them', () => {
    const named = namesIn(expressions.join('\n'))

    expect([...named].filter((name) => !(name in CATALOGUE))).toEqual([])
    const left = (Object.keys(CATALOGUE) as MetricName[]).filter((name) => !named.has(name))
    expect(left.toSorted()).toEqual([
      'avocet_build_info',
      'avocet_changes_total',
      'avocet_connections',
      'avocet_crawl_info',
      'avocet_crawl_phase',
      'avocet_dropped_items_total',
      'avocet_event_loop_delay_p50_seconds',
      'avocet_handled_pages_total',
      'avocet_held_items_total',
      'avocet_lost_pages_total',
      'avocet_missed_visits_total',
      'avocet_process_heap_bytes',
      'avocet_redirects_total',
      'avocet_round_due_visits',
      'avocet_round_made_visits',
      'avocet_sink_set_aside_items',
      'avocet_sink_written_items',
      'avocet_stored_items',
      'process_start_time_seconds',
    ])
  })

  it('takes rates of counters and nothing else', () => {
    for (const [, name = ''] of expressions.join('\n').matchAll(/rate\((\w+)\{/g))
      expect([name, CATALOGUE[name.replace(/_bucket$/, '') as MetricName].type]).toEqual([
        name,
        expect.stringMatching(/counter|histogram/),
      ])
    for (const name of namesIn(expressions.join('\n'))) {
      const { type } = CATALOGUE[name as MetricName]
      if (type === 'gauge') expect(expressions.join('\n')).not.toContain(`rate(${name}{`)
    }
  })

  it('has panels that do not overlap, with ids of their own and a sentence each', () => {
    const taken = new Set<string>()
    for (const { gridPos, title, type, description } of dashboard.panels) {
      if (type !== 'row') expect([title, description]).toEqual([title, expect.stringMatching(/\w/)])
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), title).toBe(false)
          expect(x).toBeLessThan(24)
          taken.add(`${x} ${y}`)
        }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })
})

describe('the alerts', () => {
  it('name metrics that exist, and labels that these have', () => {
    const rules = alerts.replace(/^ *#.*$/gm, '')
    const names = [...namesIn(rules)]

    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !(name in CATALOGUE))).toEqual([])
  })
})

describe.skipIf(!hasPromtool)('promtool', () => {
  it('reads the configuration with its alerts', () => {
    const { stdout, stderr, status } = spawnSync(PROMTOOL, ['check', 'config', join(FOLDER, 'prometheus.yml')], {
      encoding: 'utf8',
    })

    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/SUCCESS: 13 rules found/)
  })

  it('reads each query of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-rules-'))
    const rules = expressions.map(
      (expr, n) => `      - record: query:${n}\n        expr: ${JSON.stringify(expr.replaceAll('$__rate_interval', '5m'))}`,
    )
    writeFileSync(join(folder, 'rules.yml'), `groups:\n  - name: dashboard\n    rules:\n${rules.join('\n')}\n`)

    const { stdout, stderr, status } = spawnSync(PROMTOOL, ['check', 'rules', join(folder, 'rules.yml')], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })

    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`SUCCESS: ${expressions.length} rules found`)
  })

  it('fires the alerts for what they say, and for nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-alerts-'))
    writeFileSync(join(folder, 'test.yml'), ALERTS_TEST.replace('ALERTS', join(FOLDER, 'alerts.yml')))

    const { stdout, stderr, status } = spawnSync(PROMTOOL, ['test', 'rules', join(folder, 'test.yml')], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })

    expect([status, stderr], stdout).toEqual([0, ''])
  })
})

/** Two crawls: one is well, the other sends nothing, though it has something to send; then one whose requests are refused, and one whose sink fails. */
const ALERTS_TEST = `rule_files: [ALERTS]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - { series: 'up{job="avocet",instance="well"}', values: '1x120' }
      - { series: 'avocet_requests_total{job="avocet",instance="well"}', values: '0+600x120' }
      - { series: 'avocet_waiting_requests{job="avocet",instance="well"}', values: '500x120' }
      - { series: 'avocet_crawl_phase{job="avocet",instance="well",phase="running"}', values: '1x120' }
      - { series: 'avocet_refusals_total{job="avocet",instance="well",status="429"}', values: '0+6x120' }
      - { series: 'up{job="avocet",instance="still"}', values: '1x120' }
      - { series: 'avocet_requests_total{job="avocet",instance="still"}', values: '600x120' }
      - { series: 'avocet_waiting_requests{job="avocet",instance="still"}', values: '500x120' }
      - { series: 'avocet_crawl_phase{job="avocet",instance="still",phase="running"}', values: '1x120' }
      - { series: 'avocet_requests_total{job="avocet",instance="refused"}', values: '0+600x120' }
      - { series: 'avocet_refusals_total{job="avocet",instance="refused",status="429"}', values: '0+30x120' }
      - { series: 'avocet_refusals_total{job="avocet",instance="refused",status="503"}', values: '0+30x120' }
      - { series: 'avocet_sink_failing{job="avocet",instance="well",sink="pg"}', values: '0x100 1x20' }
      - { series: 'avocet_hosts{job="avocet",instance="well",judgement="fine"}', values: '70x120' }
      - { series: 'avocet_hosts{job="avocet",instance="well",judgement="unreachable"}', values: '10x120' }
      - { series: 'avocet_hosts{job="avocet",instance="refused",judgement="fine"}', values: '70x120' }
      - { series: 'avocet_hosts{job="avocet",instance="refused",judgement="refusing"}', values: '10x120' }
      - { series: 'avocet_hosts{job="avocet",instance="refused",judgement="broken layout"}', values: '20x120' }
    alert_rule_test:
      - { eval_time: 60m, alertname: AvocetDown, exp_alerts: [] }
      - eval_time: 60m
        alertname: AvocetStalled
        exp_alerts:
          - exp_labels: { severity: warning, job: avocet, instance: still }
            exp_annotations: { summary: 'The crawl at still has sent nothing for 15 minutes, and 500 requests wait: see avocet why' }
      - eval_time: 60m
        alertname: AvocetRefused
        exp_alerts:
          - exp_labels: { severity: warning, job: avocet, instance: refused }
            exp_annotations: { summary: '10% of the requests of refused are refused (429, 503)' }
      - { eval_time: 100m, alertname: AvocetSinkFailing, exp_alerts: [] }
      - eval_time: 118m
        alertname: AvocetSinkFailing
        exp_alerts:
          - exp_labels: { severity: critical, job: avocet, instance: well, sink: pg }
            exp_annotations: { summary: 'The sink pg of well fails' }
      - eval_time: 60m
        alertname: AvocetHostsInTrouble
        exp_alerts:
          - exp_labels: { severity: warning, job: avocet, instance: refused }
            exp_annotations: { summary: '30% of the hosts of refused are in trouble; avocet hosts names them' }
`
