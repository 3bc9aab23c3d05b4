// Four processes on one PostgreSQL server, and faults: `npm run faults [-- --runs 200] [--seed S] [--only 17] [--kinds kill,stop,…] [--scale 10] [--json]`,
// and `-- --cases [--only 'killed here']`: single faults whose price is promised (fault-cases.ts).
//
// Processes are killed and stopped, the server is killed and frozen, the network between them is silent, down and full of
// faults, and the machines' clocks are wrong. What the servers of the web saw is the judge (fault-books.ts). Fails for any finding, each with the command that
// runs it alone. Chance decides what befalls a run and when; what the processes do at that moment is real time, so a seed need not fail each time.
import { toldOptions } from '../told-options.ts'
import { faultCases } from './fault-cases.ts'
import { FAULT_KINDS, faultPlan, type FaultKinds } from './fault-plan.ts'
import { faultRun, type FaultRun } from './fault-run.ts'

const { values } = toldOptions('faults', {
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: 'avocet' },
    only: { type: 'string', multiple: true },
    kinds: { type: 'string', default: FAULT_KINDS.join(',') },
    pages: { type: 'string', default: '8' },
    scale: { type: 'string', default: '10' },
    cases: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const scale = Number(values.scale)
const known: readonly string[] = FAULT_KINDS
const told = values.kinds.split(',').filter(Boolean)
const unknown = told.find((kind) => !known.includes(kind))
if (unknown !== undefined) throw new Error(`expected --kinds to be among ${known.join(', ')}, got ${unknown}`)
const kinds: FaultKinds = new Set(FAULT_KINDS.filter((kind) => told.includes(kind)))
const numbers = values.only?.map(Number) ?? Array.from({ length: Number(values.runs) }, (_, n) => n + 1)

const pages = Number(values.pages)
const runs: FaultRun[] = []
if (values.cases) {
  for (const one of faultCases(scale).filter(({ name }) => values.only?.includes(name) ?? true))
    tell(one.name, await faultRun({ pages, ...one }))
} else
  for (const n of numbers)
    tell(String(n), await faultRun({ plan: faultPlan(`${values.seed} ${String(n)}`, { kinds, scale }), pages, scale }))
const good = runs.filter(({ wrong }) => wrong.length === 0)
const unsure = good.filter((run) => run.unsure.length > 0)
if (values.json)
  console.log(
    JSON.stringify(
      {
        schema: 1,
        held: good.length,
        unsure: unsure.length,
        of: runs.length,
        runs: runs.map(({ served: _served, ...rest }) => rest),
      },
      undefined,
      2,
    ),
  )
else
  console.log(
    `${String(good.length)} of ${String(runs.length)}, ${String(unsure.length)} of them on a machine too slow to judge by time`,
  )
process.exitCode = good.length === runs.length ? 0 : 1

function tell(name: string, run: FaultRun): void {
  runs.push(run)
  if (!values.json) console.log(printed(name, run))
}

function printed(
  name: string,
  { wrong, unsure, befallen, plan, requests, repeated, mostRepeated, shortestMs, seconds, starvedMs }: FaultRun,
): string {
  const faults = befallen.map(({ fault, agent }) =>
    `${agent?.replace('faults/', '') ?? ''} ${fault.kind} ${(fault.ms / 1_000).toFixed(1)} s`.trim(),
  )
  const proxied = Object.keys(plan.rates).length > 0 ? ['proxy faults'] : []
  const figures = `${String(requests)} requests, ${String(repeated)} repeated of ${String(mostRepeated)}, spare ${String(shortestMs)} ms, starved ${String(starvedMs)} ms`
  const verdict = wrong.length > 0 ? 'WRONG' : unsure.length > 0 ? 'unsure' : 'ok   '
  const head = `${verdict} ${name.padStart(3)}  ${seconds.toFixed(0)} s, ${figures}: ${[...faults, ...proxied].join(', ')}`
  if (wrong.length + unsure.length === 0) return head
  const command = `npm run faults -- ${values.cases ? `--cases --only ${JSON.stringify(name)}` : `--seed ${JSON.stringify(values.seed)} --only ${name}`}`
  return [head, ...[...wrong, ...unsure].map((what) => `        ${what}`), `        again: ${command}`].join('\n')
}
