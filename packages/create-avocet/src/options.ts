// What was typed: the folder, and a flag for each question.
import { parseArgs } from 'node:util'
import { didYouMean } from './closest.ts'
import { TEMPLATE_NAMES, type TemplateName } from './template.ts'
import { UsageError } from './usage-error.ts'

/** Undefined is what is still to be asked. */
export interface Options {
  readonly folder: string | undefined
  readonly template: TemplateName | undefined
  readonly pinNode: boolean | undefined
  /** Folder with packed packages, as it was typed. */
  readonly from: string | undefined
  /** Asks nothing. */
  readonly yes: boolean
  readonly help: boolean
}

const FLAGS = {
  template: { type: 'string', short: 't' },
  'pin-node': { type: 'boolean' },
  'no-pin-node': { type: 'boolean' },
  from: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
} as const

/**
 * Reads the words after the command's name.
 *
 * @throws UsageError for an unknown flag or template, and for more than one folder.
 */
export function optionsOf(words: readonly string[]): Options {
  const { values, positionals } = parsed(words)
  if (positionals.length > 1)
    throw new UsageError(`expected one folder, got ${positionals.join(' ')}; put quotes around its name`)
  if (values['pin-node'] === true && values['no-pin-node'] === true)
    throw new UsageError('expected --pin-node or --no-pin-node, got both; leave one out')
  return {
    folder: positionals[0],
    template: values.template === undefined ? undefined : templateNamed(values.template),
    pinNode: values['pin-node'] ?? (values['no-pin-node'] === true ? false : undefined),
    from: values.from,
    yes: values.yes ?? false,
    help: values.help ?? false,
  }
}

function parsed(words: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof FLAGS; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...words], options: FLAGS, allowPositionals: true })
  } catch (error) {
    throw typingError(error instanceof Error ? error : new Error(String(error)), words)
  }
}

/** Node's messages are three sentences long, and know no "did you mean". */
function typingError(error: Error & { readonly code?: string }, words: readonly string[]): UsageError {
  const see = 'see npm create avocet -- --help'
  const named = /--[a-z-]+/.exec(error.message)?.[0] ?? ''
  if (error.message.includes('does not take an argument'))
    return new UsageError(`expected no value after ${named}, got one; ${see}`)
  if (error.code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')
    return new UsageError(`expected a value after ${named}, got nothing; ${see}`)
  const typed = /'(-[^' ]*)'/.exec(error.message)?.[1] ?? words.find((word) => word.startsWith('-')) ?? ''
  const meant = didYouMean(typed.replace(/^-+/, ''), Object.keys(FLAGS)).replace("'", "'--")
  return new UsageError(`expected an option that it has, got ${typed}${meant}; ${see}`)
}

function templateNamed(word: string): TemplateName {
  const template = TEMPLATE_NAMES.find((name) => name === word)
  if (template !== undefined) return template
  throw new UsageError(`expected a template (${TEMPLATE_NAMES.join(', ')}), got '${word}'${didYouMean(word, TEMPLATE_NAMES)}`)
}
