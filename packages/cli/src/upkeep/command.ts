// `avocet store`, which looks after the file of a store; as the command line knows it.
import { AvocetError } from '@avocet/core'
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG, switchFlag, valueFlag, WHICH_STORE } from '@avocet/project/command'
import { namedStore, parseWord, textOf, type Typed } from '@avocet/project/options'
import type { StoreWish } from '../store/status.ts'
import type { BackupWish } from './backup.ts'

const ACTIONS = ['backup', 'compact', 'verify'] as const

/** What was typed. */
type Wish = ({ readonly action: 'backup' } & BackupWish) | ({ readonly action: 'compact' | 'verify' } & StoreWish)

/** `avocet store`. */
export const STORE: DeclaredCommand<Wish> = {
  name: 'store',
  arguments: '<action> [store]',
  describes: {
    action: 'backup, compact or verify',
    store: WHICH_STORE,
  },
  examples: ['avocet store backup quotes --to /backups', 'avocet store compact quotes', 'avocet store verify quotes'],
  flags: {
    to: valueFlag('PLACE', 'backup: a new file, or a folder for one with name and time'),
    overwrite: switchFlag('backup: replace the backup that is there'),
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: [
    'backup also runs during a crawl. Kept responses and saved files are not part of',
    'it. compact runs only while nobody crawls, and needs free space of twice the',
    'contents. verify exits with 7 for a damaged store.',
  ],
  missing: 'expected backup, compact or verify, got nothing',
  read: wishOf,
  async run(wish, place) {
    if (wish.action === 'backup') return (await import('./backup.ts')).backupCommand(wish, place)
    if (wish.action === 'compact') return (await import('./compact.ts')).compactCommand(wish, place)
    return (await import('./verify.ts')).verifyCommand(wish, place)
  },
}

function wishOf(typed: Typed): Wish {
  const action = parseWord(textOf(typed, 'action') ?? '', 'store', ACTIONS)
  const [wish, to, overwrite] = [
    { ...namedStore(typed), json: typed['json'] === true },
    textOf(typed, 'to'),
    typed['overwrite'] === true,
  ]
  if (action !== 'backup') {
    const foreign = to !== undefined ? '--to' : overwrite ? '--overwrite' : undefined
    if (foreign === undefined) return { action, ...wish }
    throw new AvocetError('AVO_USAGE', `store ${action}: expected no ${foreign}, which is for backup; leave it out`)
  }
  if (to === undefined || to === '')
    throw new AvocetError(
      'AVO_USAGE',
      'store backup: expected --to PLACE, the file or folder of the backup, got nothing; for instance --to backup.db',
    )
  return { action, ...wish, to, overwrite }
}
