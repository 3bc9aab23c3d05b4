// `avocet export`, as the command line knows it.
import { crawlOptionsOf, textOf } from '@avocet/project/options'
import { type DeclaredCommand, OUTPUT_FLAGS, STORE_FLAG, WHICH_STORE } from '@avocet/project/command'
import type { ExportOptions } from './export.ts'

/** `avocet export`. */
export const EXPORT: DeclaredCommand<ExportOptions> = {
  name: 'export',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet export -O items.csv'],
  // A snapshot knows nothing of the one before.
  flags: { ...OUTPUT_FLAGS, o: { ...OUTPUT_FLAGS['o'], describe: 'Append to FILE; each time all items again' }, ...STORE_FLAG },
  read(typed) {
    const { o, O } = typed
    return { store: textOf(typed, 'store'), outputs: crawlOptionsOf({ o, O }).outputs }
  },
  run: async (options, place) => (await import('./export.ts')).exportCommand(options, place),
}
