// What is served, read by the official parsers: prometheus_client of Python, and promtool. Skipped where a machine has neither.
//
// Debian: apt-get install python3-prometheus-client; promtool is in the package prometheus (AVOCET_TEST_PROMTOOL says where, if it is not in the path).
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { CrawlMetrics } from '../src/crawl-metrics.ts'
import { crawlFamilies } from '../src/laws/crawl-families.ts'
import { exposition } from '../src/laws/exposition.ts'
import type { MetricFamily } from '../src/laws/family.ts'
import { strictlyParsed } from './strict-parser.ts'

const PYTHON = ['/usr/bin/python3', 'python3'].find((program) => spawnSync(program, ['-c', 'import prometheus_client.openmetrics.parser']).status === 0)
const PROMTOOL = process.env['AVOCET_TEST_PROMTOOL'] ?? 'promtool'
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0

/** Reads with the parser, prints what it read. */
const SCRIPT = (module: string): string => `import json, sys
from ${module} import text_string_to_metric_families
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps([[s.name, dict(s.labels), repr(s.value)] for f in text_string_to_metric_families(text) for s in f.samples]))`

function families(): readonly MetricFamily[] {
  const metrics = new CrawlMetrics()
  const hosts = ['shop.example', 'a"b\\c\nd', '<script>', '\u001b[2J', 'xn--bcher-kva.example:8443'].map((hostKey, n) => ({ hostKey, requests: 9 - n, refusals: n, failures: 1 }))
  metrics.add(1, { counts: { page: 3, 'response 2xx': 3, 'latency 0': 2, 'latency 14': 1, 'latency sum': 61.25, 'commit 3': 1, 'commit sum': 0.007, cpu: 0.1 }, hosts })
  metrics.saw(1, {
      hosts: { working: 1, ready: 2, held: 3, breakerOpen: 4 },
      named: [{ hostKey: 'shop.example', inFlight: 1, waiting: 5, foundRps: 0.123456789 }],
      residentBytes: 123_456_789,
      heapBytes: 1e7,
      loopDelay: { p50: 0, p99: 1e-7, max: 2.5 },
  })
  const run = { pages: 3, requests: 35, failures: 5, items: 2, dropped: 0, spoiled: 0, rejects: 0, failed: 0, retried: 0, moved: 0, links: 0, added: 0, refusedLinks: 0, wireBytes: 2 ** 53 - 1, pluginErrors: 0 }
  const sinks = [{ name: 'items "of\n the day".jsonl', written: 1, behind: 1, setAside: 0, failingSince: 5 }]
  const status = { name: 'déjà "vu"', phase: 'running' as const, now: 1e12, startedAt: 1e12, known: 9, waiting: 6, settled: 3, items: 2, inFlight: 1, slots: 100, handlersRunning: 0 }
  const shown = metrics.shown({ ...status, connections: { open: 3, busy: 1 }, run, sinks, liveHosts: 0, hosts: [] })
  const own = { cpuSeconds: 1.5, residentBytes: 1e8, startedAt: 1_795_758_234.347, openFds: 25, maxFds: 1024 }
  return crawlFamilies(shown, { own, version: '0.1.0', node: 'v24.0.0', reasons: ['reset', 'dns-failed'] })
}

/** As both readers say it. */
function samplesOf(text: string, format: 'text' | 'openmetrics'): readonly unknown[] {
  return [...strictlyParsed(text, format).values()].flatMap(({ samples }) => samples.map(({ name, labels, value }) => [name, labels, value]))
}

describe.skipIf(PYTHON === undefined)('the parser of prometheus_client', () => {
  it.each([
    ['text', 'prometheus_client.parser'],
    ['openmetrics', 'prometheus_client.openmetrics.parser'],
  ] as const)('reads each sample of %s as it was meant', (format, module) => {
    const text = exposition(families(), format)

    const { stdout, stderr } = spawnSync(PYTHON ?? '', ['-c', SCRIPT(module)], { input: text, encoding: 'utf8' })

    expect(stderr).toBe('')
    const read = (JSON.parse(stdout) as [string, Record<string, string>, string][]).map(([name, labels, value]) => [name, labels, Number(value)])
    expect(read).toEqual(samplesOf(text, format))
    expect(read.length).toBeGreaterThan(100)
  })
})

describe.skipIf(!hasPromtool)('promtool', () => {
  it('finds nothing to say of names, types and helps', () => {
    const { stdout, stderr, status } = spawnSync(PROMTOOL, ['check', 'metrics'], { input: exposition(families(), 'text'), encoding: 'utf8' })

    expect([stdout, stderr, status]).toEqual(['', '', 0])
  })
})
