// The options of a command of the bench. What is misspelled ends it before anything runs: one sentence with the options that there are, exit code 2.
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { didYouMean } from '@avocet/core/plugin'

type Options = NonNullable<ParseArgsConfig['options']>

/** What was typed after the command called `name`, as `parseArgs` of Node gives it. */
export function toldOptions<const Config extends ParseArgsConfig>(
  name: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const mistake = mistakeIn(config)
  if (mistake !== undefined) {
    console.error(`${name}: ${mistake}`)
    process.exit(2)
  }
  return parseArgs(config)
}

function mistakeIn({ options = {}, allowPositionals = false }: ParseArgsConfig): string | undefined {
  const { tokens } = parseArgs({ options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional' && !allowPositionals) return `${expected(options)}, got the word ${token.value}`
    if (token.kind !== 'option') continue
    const known = options[token.name]
    if (known === undefined) {
      const names = Object.keys(options).map((each) => `--${each}`)
      return `${expected(options)}, got ${token.rawName}${didYouMean(token.rawName, names)}`
    }
    if (known.type === 'boolean' && token.value !== undefined) return `expected no value for --${token.name}, got ${token.value}`
    if (known.type === 'boolean' || (token.value !== undefined && (token.inlineValue || !token.value.startsWith('-')))) continue
    return `expected a value after --${token.name}, got ${token.value ?? 'none'}`
  }
  return undefined
}

function expected(options: Options): string {
  const names = Object.entries(options).map(([name, { type }]) => (type === 'boolean' ? `--${name}` : `--${name} VALUE`))
  return names.length === 0 ? 'expected no options' : `expected options of ${names.join(', ')}`
}
