// What is served, read by the official parsers: prometheus_client of Python, and promtool. Skipped where a machine has neither.
//
// Debian: apt-get install python3-prometheus-client; promtool is in the package prometheus (AVOCET_TEST_PROMTOOL says where, if it is not in the path).
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { exposition } from '../src/laws/family.ts'
import { strictlyParsed } from './strict-parser.ts'
import { wholeFamilies } from './whole-families.ts'

const PYTHON = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import prometheus_client.parser']).status === 0,
)
const PROMTOOL = process.env['AVOCET_TEST_PROMTOOL'] ?? 'promtool'
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0

/** Reads with the parser, prints what it read. */
const SCRIPT = `import json, sys
from prometheus_client.parser import text_string_to_metric_families
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps([[s.name, dict(s.labels), repr(s.value)] for f in text_string_to_metric_families(text) for s in f.samples]))`

/** As both readers say it. */
function samplesOf(text: string): readonly unknown[] {
  return [...strictlyParsed(text).values()].flatMap(({ samples }) =>
    samples.map(({ name, labels, value }) => [name, labels, value]),
  )
}

describe.skipIf(PYTHON === undefined)('the parser of prometheus_client', () => {
  it('reads each sample as it was meant', () => {
    const text = exposition(wholeFamilies())

    const { stdout, stderr } = spawnSync(PYTHON ?? '', ['-c', SCRIPT], { input: text, encoding: 'utf8' })

    expect(stderr).toBe('')
    const read = (JSON.parse(stdout) as [string, Record<string, string>, string][]).map(([name, labels, value]) => [
      name,
      labels,
      Number(value),
    ])
    expect(read).toEqual(samplesOf(text))
    expect(read.length).toBeGreaterThan(90)
  })
})

describe.skipIf(!hasPromtool)('promtool', () => {
  it('finds nothing to say of names, types and helps', () => {
    const { stdout, stderr, status } = spawnSync(PROMTOOL, ['check', 'metrics'], {
      input: exposition(wholeFamilies()),
      encoding: 'utf8',
    })

    expect([stdout, stderr, status]).toEqual(['', '', 0])
  })
})
