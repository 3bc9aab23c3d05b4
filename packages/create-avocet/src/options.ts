// What was typed: the folder, and flags.
import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { TEMPLATE_NAMES, type TemplateName } from './project-files.ts'
import { suggestionFor, UsageError } from './usage-error.ts'

/** Undefined is what was not typed. */
export interface Options {
  readonly folder: string | undefined
  readonly template: TemplateName | undefined
  readonly pinNode: boolean | undefined
  /** Folder with packed packages, as it was typed. */
  readonly from: string | undefined
  readonly help: boolean
}

const FLAGS = {
  template: { type: 'string', short: 't' },
  'pin-node': { type: 'boolean' },
  'no-pin-node': { type: 'boolean' },
  from: { type: 'string' },
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

// The folder that a project goes into: a name that npm takes for a package, and nothing in it yet.

/** What npm allows (validate-npm-package-name 7), without scopes, and nothing that a user agent could not be called. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/

/** Left by editors, systems and `git init`, `LICENSE` by the host of the repository; they do not make a folder a project. */
const HARMLESS = ['.git', '.gitattributes', '.DS_Store', '.idea', '.vscode', 'LICENSE', 'Thumbs.db']

/** Where to, and what the project is called. */
interface Target {
  /** Absolute. */
  readonly path: string
  readonly project: string
}

/**
 * The target for `typed`, seen from `folder`.
 *
 * @throws UsageError when it is no name for a project, or something is there already.
 */
export function targetFolder(typed: string, folder: string): Target {
  const path = resolve(folder, typed)
  const project = basename(path)
  if (!NAME.test(project)) {
    const better = project
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replace(/^[._-]+|-+$/g, '')
    throw new UsageError(
      `expected a folder name of small letters, digits, '-', '_' and '.', got '${project}'${better === '' ? '' : `; try ${better}`}`,
    )
  }
  const found = entriesOf(path).filter((name) => !HARMLESS.includes(name))
  if (found.length > 0) {
    const more = found.length > 3 ? ` and ${String(found.length - 3)} more` : ''
    throw new UsageError(`expected an empty folder at ${path}, found ${found.slice(0, 3).join(', ')}${more}; choose another name`)
  }
  return { path, project }
}

function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new UsageError(`expected a folder at ${path}, found something else (${error instanceof Error ? error.message : ''})`)
  }
}
