// `avocet report`, as the command line knows it.
import { REPORT_FLAGS, reportOptionsOf, type ReportOptions } from '../report/options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet report`. */
export const REPORT: DeclaredCommand<ReportOptions> = {
  name: 'report',
  arguments: '[store]',
  summary: 'what a crawl did, and what each host felt of it',
  examples: ['avocet report .avocet/quotes.db --html report.html', 'avocet report --host shop.example'],
  flags: REPORT_FLAGS,
  describe: (parser) => parser.positional('store', { describe: 'default: the only one in .avocet', type: 'string' }),
  read: reportOptionsOf,
  run: async (options, place) => (await import('../report/report.ts')).reportCommand(options, place),
}
