// No way around the governor: a million requests on virtual time, on every path, at hosts with hours and limits, over days on which their clocks change.
//
// Prints how many began on each path. Bars: none outside of the hours of its host, none above its rate.
//
//   npm run bench:governor -- --admissions 1000000 --seed governor
import { toldOptions } from '../told-options.ts'
import { governed } from './world.ts'

const { values } = toldOptions('bench:governor', {
  options: { admissions: { type: 'string', default: '1000000' }, seed: { type: 'string', default: 'governor' } },
})
const wanted = Number(values.admissions)
/** Berlin puts its clock back on 25 October, New York on 1 November; forward on 29 and 8 March. */
const BEGINNINGS = ['2026-10-23T10:00Z', '2026-03-06T10:00Z']

let all = 0
let faults = 0
for (const begin of BEGINNINGS) {
  const admissions = Math.ceil(wanted / BEGINNINGS.length)
  const ran = await governed({ hosts: 60, pages: 400, days: 365, startAt: Date.parse(begin), seed: values.seed, admissions })
  all += ran.admissions
  faults += ran.closed.length + ran.above.length
  console.log(
    `from ${begin}: ${ran.admissions} requests, ${ran.closed.length} in closed hours, ${ran.above.length} above the rate`,
  )
  for (const fault of [...ran.closed, ...ran.above].slice(0, 10)) console.log(`  ${fault}`)
  for (const [path, count] of [...ran.paths].toSorted(([, a], [, b]) => b - a))
    console.log(`  ${String(count).padStart(8)} ${path}`)
}
console.log(`${all} requests, ${faults} faults: ${faults === 0 && all >= wanted ? 'holds' : 'FAILED'}`)
if (faults > 0 || all < wanted) process.exitCode = 1
