// The answers that the scripts of `avocet completion` ask for.
//
// A shell puts what it is told on the line that is being typed. The scripts quote it; a name that a terminal would obey, or that would be two answers, is
// not offered at all: no quoting shows it as it is.
import { writeTable } from '../output/machines.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { candidatesFor } from './candidates.ts'

/** Prints what may come next, `text<Tab>summary` a line. It never fails: a shell in the middle of a line has no place for an error. */
export async function answerShell(words: readonly string[], { stdout, folder }: Place): Promise<void> {
  const all = await candidatesFor(words, folder).catch(() => [])
  const found = all.filter(({ text }) => printable(text) === text)
  await writeTable(
    stdout,
    found.map(({ text, summary }) => (summary === undefined ? [text] : [text, summary])),
  )
}
