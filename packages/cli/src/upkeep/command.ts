// The commands that look after the file of a store: backup, compact; as the command line knows them.
import { AvocetError } from '@avocet/core'
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG, switchFlag, valueFlag, WHICH_STORE } from '@avocet/project/command'
import { namedStore, textOf } from '@avocet/project/options'
import type { StoreWish } from '../store/status.ts'
import type { BackupWish } from './backup.ts'

/** `avocet backup`. */
export const BACKUP: DeclaredCommand<BackupWish> = {
  name: 'backup',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet backup quotes --to /backups', 'avocet backup quotes --to quotes-backup.db --overwrite'],
  flags: {
    to: valueFlag('PLACE', 'A new file, or a folder for one with the name and the time'),
    overwrite: switchFlag('Replace the backup that is there'),
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: ['Also while the crawl runs. Kept responses and saved files are not part of it.'],
  read(typed) {
    const to = textOf(typed, 'to')
    if (to === undefined || to === '')
      throw new AvocetError(
        'AVO_USAGE',
        'expected --to PLACE, the file or folder of the backup, got nothing; for instance --to backup.db',
      )
    return { ...namedStore(typed), to, overwrite: typed['overwrite'] === true, json: typed['json'] === true }
  },
  run: async (wish, place) => (await import('./backup.ts')).backupCommand(wish, place),
}

/** `avocet compact`. */
export const COMPACT: DeclaredCommand<StoreWish> = {
  name: 'compact',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet compact quotes'],
  flags: { ...STORE_FLAG, ...JSON_FLAG },
  notes: ['Only while nobody crawls. Twice the contents must fit on the disk.'],
  read: (typed) => ({ ...namedStore(typed), json: typed['json'] === true }),
  run: async (wish, place) => (await import('./compact.ts')).compactCommand(wish, place),
}
