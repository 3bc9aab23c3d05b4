// How dead letters are requested again, as lines of output.
import type { DeadLetterClass } from '@avocet/core/tools'
import { HEALING } from '../store/dead-letters.ts'
import { commandLine } from '../text/command-line.ts'
import type { DlqAction } from './dlq-options.ts'

/** A line, and the command on a line of its own. Without a class, only temporary failures are requested again. */
export function howToRetry(classes: readonly DeadLetterClass[], store: string | undefined): string[] {
  const others = classes.filter((name) => !HEALING.includes(name))
  const [other = ''] = others
  const command = `  ${dlqLine('retry', store)}`
  if (others.length === 0) return ['to retry them:', command]
  if (others.length === classes.length) return ['to retry what was given up:', `${command} --class ${other}`]
  return [`to retry temporary failures (--class ${other} retries others):`, command]
}

/** `store` as it was typed. */
export function dlqLine(action: DlqAction, store: string | undefined): string {
  return commandLine(['dlq', action, ...(store === undefined ? [] : [store])])
}
