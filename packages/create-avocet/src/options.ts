// What was typed: the folder, and a flag for each question.
import { parseArgs } from 'node:util'
import { TEMPLATE_NAMES, type TemplateName } from './template.ts'
import { suggestionFor, UsageError } from './usage-error.ts'

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
  const settings = { args: [...words], options: FLAGS, allowPositionals: true } as const
  for (const token of parseArgs({ ...settings, strict: false, tokens: true }).tokens)
    if (token.kind === 'option') checkFlag(token)
  return parseArgs(settings)
}

/** A flag as Node found it. `rawName` is the way in which it was typed. */
interface TypedFlag {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

/** Before Node, whose messages are three sentences long, and know no "did you mean". */
function checkFlag({ name, rawName, value, inlineValue }: TypedFlag): void {
  const see = 'see npm create avocet -- --help'
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name as keyof typeof FLAGS] : undefined
  if (flag === undefined) {
    const meant = suggestionFor(name, Object.keys(FLAGS)).replace("'", "'--")
    throw new UsageError(`expected a known option, got ${rawName}${meant}; ${see}`)
  }
  if (flag.type === 'boolean' && value !== undefined) throw new UsageError(`expected no value after --${name}, got one; ${see}`)
  if (flag.type === 'string' && (value === undefined || (inlineValue !== true && value.startsWith('-'))))
    throw new UsageError(`expected a value after --${name}, got nothing; ${see}`)
}

function templateNamed(word: string): TemplateName {
  const template = TEMPLATE_NAMES.find((name) => name === word)
  if (template !== undefined) return template
  throw new UsageError(`expected a template (${TEMPLATE_NAMES.join(', ')}), got '${word}'${suggestionFor(word, TEMPLATE_NAMES)}`)
}
