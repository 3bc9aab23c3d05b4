// Fuzzing: `npm run fuzz [-- --minutes 60] [--seed N] [--only NAME,…] [--path P] [--json]`. Fails for any finding, and says how to try its input again.
//
// Every property of the table is tried with inputs drawn from a seed: by fast-check's arbitraries, and by a byte fuzzer over the files in corpus/. Rounds
// go on with the next seed until the time is over. A part of it, with one seed and counted inputs, is test/fuzz.stress.test.ts.
import { fuzz } from './fuzzing.ts'
import { commandOf, type Finding } from './property.ts'
import { ALL_PROPERTIES } from './table.ts'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('fuzz', {
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string' },
    only: { type: 'string' },
    path: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

/** A round is this many times what the test tries. */
const SHARE = 4
/** Where lines cannot be overwritten, one says how far it is once a minute. */
const TELL_MS = 60_000

const known = ALL_PROPERTIES.map(({ name }) => name)
const names = values.only?.split(',') ?? known
const unknown = names.find((name) => !known.includes(name))
if (unknown !== undefined) throw new Error(`expected --only to be among ${known.join(', ')}, got ${unknown}`)
if (values.path !== undefined && (names.length !== 1 || values.seed === undefined || !/^\d+(?::\d+)*$/.test(values.path)))
  throw new Error('expected --path to come as a finding told it, with one name in --only and with its --seed')
const minutes = Number(values.minutes)
if (!(minutes > 0 && minutes <= 10_080))
  throw new Error(`expected --minutes to be a number above 0, a week at most, got ${values.minutes}`)
const seed = values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(values.seed)
if (!Number.isInteger(seed) || Math.abs(seed) >= 2 ** 31)
  throw new Error(`expected --seed to be a whole number of 32 bits, got ${values.seed ?? ''}`)

const startedAt = Date.now()
let toldAt = startedAt
const runs = new Map<string, number>()
const findings = await fuzz(
  { names, seed, share: SHARE, until: startedAt + minutes * 60_000, ...(values.path !== undefined && { path: values.path }) },
  ({ property, seed: tried, tried: { runs: more, finding } }) => {
    runs.set(property, (runs.get(property) ?? 0) + more)
    const passed = ((Date.now() - startedAt) / 60_000).toFixed(1)
    const line = `${passed} of ${String(minutes)} min, seed ${String(tried)}: ${property}, ${String(total())} inputs`
    if (process.stderr.isTTY) process.stderr.write(`\r${line}\u001B[K`)
    else if (Date.now() - toldAt > TELL_MS) {
      toldAt = Date.now()
      console.error(line)
    }
    if (finding !== undefined) process.stderr.write(`${process.stderr.isTTY ? '\r\u001B[K' : ''}${told(finding)}\n`)
  },
)
if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
if (values.json) {
  const found = findings.map((finding) => ({ ...finding, again: commandOf(finding) }))
  console.log(JSON.stringify({ schema: 1, seed, minutes, runs: Object.fromEntries(runs), findings: found }, undefined, 2))
} else
  console.log(
    `${String(names.length - findings.length)} of ${String(names.length)} properties hold, of ${String(total())} inputs, seed ${String(seed)}`,
  )
process.exitCode = findings.length === 0 ? 0 : 1

function total(): number {
  return [...runs.values()].reduce((sum, each) => sum + each, 0)
}

function told(finding: Finding): string {
  const { property, input, error } = finding
  const what = ALL_PROPERTIES.find(({ name }) => name === property)?.what ?? ''
  return [
    `FOUND ${property}: it is not so that ${what}`,
    `  input: ${input}`,
    ...error
      .split('\n')
      .slice(0, 20)
      .map((line) => `  ${line}`),
    `  again: ${commandOf(finding)}`,
  ].join('\n')
}
