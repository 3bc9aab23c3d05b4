// `avocet export`, as the command line knows it.
import { crawlOptionsOf, namedStore } from '@avocet/project/options'
import { type DeclaredCommand, OUTPUT_FLAGS, STORE_FLAG, switchFlag, WHICH_STORE } from '@avocet/project/command'
import type { ExportOptions } from './export.ts'

/** `avocet export`. */
export const EXPORT: DeclaredCommand<ExportOptions> = {
  name: 'export',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet export -O items.csv', 'avocet export --files -O files.csv'],
  // A snapshot knows nothing of the one before.
  flags: {
    ...OUTPUT_FLAGS,
    o: { ...OUTPUT_FLAGS['o'], describe: 'Append to FILE; each time all items again' },
    files: switchFlag('Write a row for each reference to a saved file instead'),
    ...STORE_FLAG,
  },
  notes: ['Items refer to a file by its ref. Paths are relative to the folder of the files.'],
  read(typed) {
    const { o, O } = typed
    return { ...namedStore(typed), outputs: crawlOptionsOf({ o, O }).outputs, files: typed['files'] === true }
  },
  run: async (options, place) => (await import('./export.ts')).exportCommand(options, place),
}
