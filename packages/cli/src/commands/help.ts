// `avocet help TOPIC`: what does not fit into a list of options.
import { AvocetError, didYouMean } from '@avocet/core'
import { printText } from '../output/people.ts'
import { EXIT_CODES } from '../exit-code.ts'
import type { Place } from '../place.ts'

const TOPICS: Readonly<Record<string, () => string>> = {
  'exit-codes': () =>
    Object.entries(EXIT_CODES)
      .map(([code, meaning]) => `${code.padStart(3)}  ${meaning}`)
      .join('\n'),
  output: () => `avocet crawl URL -O items.jsonl    the first run empties the file, later runs go on in it
avocet crawl URL -o items.jsonl    keeps what the file holds, and goes on behind it
avocet crawl URL -o -              prints items to stdout, JSON Lines
avocet export -O items.csv         all items of the store, as they are now
avocet export -o items.csv         the same behind what the file holds: all items again, each time

.jsonl  one JSON text a line
.json   one array, whole at any time; can be overwritten, not appended to
.csv    RFC 4180; columns in order of first appearance; cells that a spreadsheet would
        take for a formula get an apostrophe in front (--csv-formulas: none do)

A crawl writes every item to a file exactly once, however often it is killed: the store knows how
far the file is written. New files can be read by you alone (0600). stdout cannot be taken back, so after a kill the last items may come again.`,
  resume: () => `Running the same command again goes on where it stopped: the store (.avocet/NAME.db) knows every
URL, every item and what was learned about every host. A finished crawl does nothing, unless
there are new seeds.

With --every 1h (or recrawl: in the configuration) each page is visited again, an hour after it was
last due, and the crawl waits for the next visit until --max-time, --max-pages or Ctrl-C ends it.
Of a finished crawl those pages are due at once that were fetched longer ago. The schedule is in the
store: a kill does not move it, and visits missed meanwhile are made once, not made up for.

--fresh            forgets the store first (asks; --yes does not)
--store PATH       puts it elsewhere; :memory: keeps none
Ctrl-C             waits for what is in flight, at most 30 s; twice leaves at once
avocet status      how far it is, also while it runs`,
}

/** Prints a topic. Throws AVO_USAGE for an unknown one. */
export async function helpCommand(topic: string, { stdout }: Place): Promise<void> {
  const text = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined
  const names = Object.keys(TOPICS)
  if (!text) throw new AvocetError('AVO_USAGE', `help: expected ${names.join(', ')}, got '${topic}'${didYouMean(topic, names)}`)
  await printText(stdout, text())
}
