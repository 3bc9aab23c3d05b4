// `avocet dlq`, as the command line knows it.
import { DEAD_LETTERS } from '@avocet/core'
import { CLASSES, DEFAULT_LIMIT, dlqOptionsOf, HEALING, type DlqOptions } from '../commands/dlq-options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet dlq`. */
export const DLQ: DeclaredCommand<DlqOptions> = {
  name: 'dlq',
  arguments: '<action> [target] [store]',
  summary: 'pages that were given up: list them, or try them again',
  examples: [
    'avocet dlq list --class exhausted',
    'avocet dlq retry --host shop.example',
    'avocet dlq retry https://shop.example/offer/7',
  ],
  flags: {
    class: { type: 'string', describe: 'of this class, or all' },
    host: { type: 'string', describe: 'of this host, as avocet hosts lists it' },
    limit: { type: 'string', describe: `pages to list (${DEFAULT_LIMIT})` },
    json: { type: 'boolean', describe: 'print one JSON document' },
  },
  describe(parser) {
    const lines = CLASSES.map((name) => `  ${name.padEnd(10)}  ${DEAD_LETTERS[name]}`)
    return parser
      .positional('action', { describe: 'list them, or retry them', type: 'string' })
      .positional('target', { describe: 'a store, or to retry the URL of one page', type: 'string' })
      .positional('store', { describe: 'the store of that page (the only one in .avocet)', type: 'string' })
      .epilogue(['Classes:', ...lines, `retry without --class: ${HEALING.join(', ')}`].join('\n'))
  },
  missing: 'expected list or retry, got nothing',
  read: dlqOptionsOf,
  run: async (options, place) => (await import('../commands/dlq.ts')).dlqCommand(options, place),
}
