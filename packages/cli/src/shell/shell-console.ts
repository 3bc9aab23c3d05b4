// The console of code in the shell: what it prints of a page is shown by a terminal, and not obeyed.
import { Console } from 'node:console'
import { screenOf } from '../output/people.ts'
import type { Place } from '../place.ts'

/** Where a stream is no terminal, it gets every byte. */
export function consoleFor({ stdout, stderr }: Pick<Place, 'stdout' | 'stderr'>): Console {
  const [out, err] = [stdout, stderr].map((stream) => (stream.isTTY ? screenOf(stream) : stream))
  return new Console({ stdout: out ?? stdout, stderr: err ?? stderr, colorMode: stdout.isTTY && stdout.hasColors() })
}
