// `avocet report`, as the command line knows it.
import { type DeclaredCommand, STORE_FLAG, switchFlag, valueFlag, WHICH_STORE } from '@avocet/project/command'
import { given, namedStore, textOf, type Typed } from '@avocet/project/options'
import type { ReportOptions } from './report.ts'

/** `avocet report`. */
export const REPORT: DeclaredCommand<ReportOptions> = {
  name: 'report',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet report quotes --html report.html', 'avocet report --host shop.example --html shop.html'],
  flags: {
    host: valueFlag('HOST', 'How one host was treated, for its owner; also with --html'),
    html: valueFlag('FILE', 'Write the page of avocet ui to FILE (- for stdout)'),
    ...STORE_FLAG,
    json: switchFlag('Print one JSON document, with every host'),
  },
  read: reportOptionsOf,
  run: async (options, place) => (await import('./report.ts')).reportCommand(options, place),
}

function reportOptionsOf(typed: Typed): ReportOptions {
  return {
    ...namedStore(typed),
    ...given('host', textOf(typed, 'host')),
    ...given('htmlPath', textOf(typed, 'html')),
    json: typed['json'] === true,
  }
}
