// The answers that the scripts of `avocet completion` ask for.
import { writeTo } from '../output/write-to.ts'
import type { Place } from '../place.ts'
import { candidatesFor } from './candidates.ts'

/** Prints what may come next, `text<Tab>summary` a line. It never fails: a shell in the middle of a line has no place for an error. */
export async function answerShell(words: readonly string[], { stdout, folder }: Place): Promise<void> {
  const found = await candidatesFor(words, folder).catch(() => [])
  const lines = found.map(({ text, summary }) => (summary === undefined ? text : `${text}\t${summary}`))
  if (lines.length > 0) await writeTo(stdout, `${lines.join('\n')}\n`)
}
