// `avocet files`, as the command line knows it.
import { crawlOptionsOf, parseWholeNumber, textOf } from '@avocet/project/options'
import { type DeclaredCommand, JSON_FLAG, OUTPUT_FLAGS, STORE_FLAG, valueFlag, WHICH_STORE } from '@avocet/project/command'
import type { FilesWish } from './files.ts'

/** Files that are listed. */
const DEFAULT_LIMIT = 20

/** `avocet files`. */
export const FILES: DeclaredCommand<FilesWish> = {
  name: 'files',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet files', 'avocet files -O files.csv'],
  flags: {
    ...OUTPUT_FLAGS,
    o: { ...OUTPUT_FLAGS['o'], describe: 'Append to FILE; each time all rows again' },
    limit: valueFlag('N', `Maximum number of files to list [default: ${DEFAULT_LIMIT}]`),
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: ['Items refer to a file by its ref. Paths are relative to the folder of the files.'],
  read(typed) {
    const { o, O } = typed
    const limit = textOf(typed, 'limit')
    return {
      store: textOf(typed, 'store'),
      outputs: crawlOptionsOf({ o, O }).outputs,
      limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'files --limit', 1),
      json: typed['json'] === true,
    }
  },
  run: async (options, place) => (await import('./files.ts')).filesCommand(options, place),
}
