// `avocet check`: whether a crawl would run, without crawling; one line a subject.
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { ExitCode } from '../exit-code.ts'
import type { Place } from '../place.ts'
import { fold } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { formatCountOf } from '../text/quantity.ts'
import { paintFor, type Paint } from '../view/paint.ts'
import { screenColumns } from '../view/screen-columns.ts'
import type { Finding } from './finding.ts'
import { findings, type CheckWish } from './findings.ts'

const STATES = {
  ok: { word: 'ok  ', tone: 'good' },
  warn: { word: 'warn', tone: 'warn' },
  fail: { word: 'FAIL', tone: 'bad' },
} as const

/** As wide as the longest subject. */
const SUBJECT_COLUMNS = 8

/** Prints the findings as they come; with `json` one document. The exit code is 4 when something fails. */
export async function checkCommand(wish: CheckWish, place: Place): Promise<ExitCode> {
  const { stdout, stderr, folder } = place
  const { json } = wish.options
  const found: Finding[] = []
  for await (const finding of findings(wish, place)) {
    found.push(finding)
    if (!json) await print(stdout, linesOf(fromHere(finding, folder), screenColumns(stdout), paintFor(stdout)))
  }
  const failed = found.filter(({ state }) => state === 'fail').length
  if (json) await writeDocument(stdout, { schema: 1, ok: failed === 0, findings: found })
  else if (failed > 0) say(stderr, `${formatCountOf(failed, 'thing')} would not work`)
  return failed > 0 ? 4 : 0
}

/** Paths below the folder are short. */
function fromHere(finding: Finding, folder: string): Finding {
  return { ...finding, said: finding.said.replaceAll(`${folder}/`, '') }
}

function linesOf({ subject, state, said }: Finding, columns: number, paint: Paint): readonly string[] {
  const { word, tone } = STATES[state]
  const indent = ' '.repeat(4 + 2 + SUBJECT_COLUMNS + 2)
  const [first = '', ...rest] = fold(printable(said), Math.max(40, columns - indent.length))
  return [`${paint(tone, word)}  ${subject.padEnd(SUBJECT_COLUMNS)}  ${first}`, ...rest.map((line) => indent + line.trimStart())]
}
