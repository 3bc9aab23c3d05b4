// `avocet service`, as the command line knows it: what follows is a crawl, with its options, as it would be typed behind `avocet crawl`.
import { AvocetError } from '@avocet/core'
import { isSecretName } from '@avocet/core/store'
import { crawlOptionsOf, type CrawlOptions } from '../options/crawl-options.ts'
import type { DeclaredCommand } from '../options/declared-command.ts'
import { CRAWL_FLAGS, type Flags } from '../options/flags.ts'
import { parseWord, textOf, textsOf, type Typed } from '../options/values.ts'
import { commandName } from '../text/command-line.ts'
import { isBareWord, SERVICE_KINDS } from './service-facts.ts'
import type { ServiceWish } from './service.ts'

/** Of a crawl, which explains them itself. */
const OF_THE_CRAWL: Flags = Object.fromEntries(
  Object.entries(CRAWL_FLAGS).map(([name, flag]) => [name, { ...flag, hidden: true }]),
)

/** `avocet service`. */
export const SERVICE: DeclaredCommand<ServiceWish> = {
  name: 'service',
  arguments: '<action> [kind] [targets..]',
  describes: {
    action: 'print',
    kind: `${SERVICE_KINDS.join(', ')} [default: systemd]`,
    targets: 'What to crawl, as for avocet crawl, with its options',
  },
  examples: [
    'avocet service print spider.ts -o items.jsonl --every 1h',
    'avocet service print pm2 spider.ts -o items.jsonl --every 1h',
  ],
  flags: OF_THE_CRAWL,
  notes: ['Takes the options of avocet crawl, and prints what runs it as a service.'],
  missing: 'expected print, got nothing',
  read(typed) {
    parseWord(textOf(typed, 'action') ?? '', 'service', ['print'])
    const first = textOf(typed, 'kind')
    const rest = textsOf(typed, 'targets')
    // Several targets are URLs, so this is none.
    if (first !== undefined && isBareWord(first) && rest.length > 0) parseWord(first, 'service print', SERVICE_KINDS)
    const kind = SERVICE_KINDS.find((known) => known === first) ?? 'systemd'
    const targets = [...(first === undefined || first === kind ? [] : [first]), ...rest]
    const options = crawlOptionsOf({ ...typed, targets })
    if (options.fresh)
      throw new AvocetError('AVO_USAGE', 'service: expected a crawl that resumes at each start, got --fresh; leave it out')
    checkPage(options)
    return { kind, options, words: ['crawl', ...targets, ...optionWords(typed)] }
  },
  run: async (wish, place) => (await import('./service.ts')).serviceCommand(wish, place),
}

/** What was typed, by the names that help has. */
function optionWords(typed: Typed): string[] {
  return Object.entries(CRAWL_FLAGS).flatMap(([name, { type }]) => {
    const option = name.length === 1 ? `-${name}` : `--${name}`
    if (type === 'boolean') return typed[name] === undefined ? [] : [typed[name] === true ? option : `--no-${name}`]
    return textsOf(typed, name).flatMap((text) => {
      checkOpen(name, text)
      // What stands alone, or would be taken for an option, is bound to its name.
      return text === '' || (text.startsWith('-') && text !== '-') ? [`${option}=${text}`] : [option, text]
    })
  })
}

/** Each start makes another port and another token, where they are not given: the page would have to be looked for in the log. */
function checkPage({ ui }: CrawlOptions): void {
  if (ui === undefined || ((ui.address.port ?? 0) > 0 && ui.passwordPath !== undefined)) return
  throw new AvocetError(
    'AVO_USAGE',
    'service: expected --ui with a port and --ui-password-file, so that the page is found and opened after each restart, got --ui without; write --ui 8042 --ui-password-file FILE',
  )
}

/** Everyone may read a unit file, and the words of a process. */
function checkOpen(name: string, text: string): void {
  const isSecret =
    (name === 'header' && isSecretName(text.split(':')[0] ?? '')) ||
    (name === 'a' && isSecretName(text.split('=')[0] ?? '')) ||
    ((name === 'store' || name === 'proxy') && URL.canParse(text) && new URL(text).password !== '')
  if (!isSecret) return
  throw new AvocetError(
    'AVO_USAGE',
    `service: expected options without secrets, for everyone may read them there, got one in --${name}; put it into the environment file that ${commandName()} service print names`,
  )
}
