// `avocet completion`: prints the script for a shell.
import { basename } from 'node:path'
import { AvocetError, didYouMean } from '@avocet/core'
import { writeFileText } from '../output/machines.ts'
import type { Place } from '../place.ts'
import { SCRIPTS } from './scripts.ts'

const SHELLS = Object.keys(SCRIPTS)

/** Prints the script for `shell`; without one for the shell that is named by $SHELL. Throws AVO_USAGE for one that it has none for. */
export async function completionCommand(shell: string | undefined, { stdout }: Place): Promise<void> {
  const name = shell ?? basename(process.env['SHELL'] ?? '')
  const script = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined
  if (script === undefined) {
    throw new AvocetError('AVO_USAGE', `completion: expected ${SHELLS.join(', ')}, got '${name}'${didYouMean(name, SHELLS)}`)
  }
  await writeFileText(stdout, `${script}\n`)
}
