// `avocet report`, as the command line knows it.
import type { DeclaredCommand } from '../options/declared-command.ts'
import { CONFIG_FLAG, STORE_FLAG, switchFlag, valueFlag, WHICH_STORE } from '../options/flags.ts'
import { given, parseWholeNumber, textOf, type Typed } from '../options/values.ts'
import type { ReportOptions } from './report.ts'

/** Hosts that a table shows, and that have a view of their own in a page. */
const DEFAULT_TOP = 10
const DEFAULT_VIEWS = 100

/** `avocet report`. */
export const REPORT: DeclaredCommand<ReportOptions> = {
  name: 'report',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet report .avocet/quotes.db --html report.html', 'avocet report --host shop.example --html shop.html'],
  flags: {
    host: valueFlag('HOST', 'How one host was treated, for its owner; also with --html'),
    html: valueFlag('FILE', 'Write the page of avocet ui to FILE (- for stdout)'),
    top: valueFlag('N', `Hosts in a table [default: ${DEFAULT_TOP}], with a view [default: ${DEFAULT_VIEWS}]`),
    ...STORE_FLAG,
    ...CONFIG_FLAG,
    json: switchFlag('Print one JSON document, with every host'),
  },
  read: reportOptionsOf,
  run: async (options, place) => (await import('./report.ts')).reportCommand(options, place),
}

function reportOptionsOf(typed: Typed): ReportOptions {
  const text = textOf(typed, 'top')
  const top = text === undefined ? undefined : parseWholeNumber(text, 'report --top', 1)
  return {
    ...given('store', textOf(typed, 'store')),
    ...given('host', textOf(typed, 'host')),
    ...given('configPath', textOf(typed, 'config')),
    ...given('htmlPath', textOf(typed, 'html')),
    top: top ?? DEFAULT_TOP,
    views: top ?? DEFAULT_VIEWS,
    json: typed['json'] === true,
  }
}
